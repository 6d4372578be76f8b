// Compression of large answers for clients that ask for it.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go (threshold, level, which answers).
import type { ApiResponse } from "./handler.ts";

const thresholdBytes = 128 * 1024;
const level = 1;

/** True when upstream would compress this answer to this request: a large API object, and gzip among the encodings accepted. */
export function wantsGzip(path: string, acceptEncoding: string | undefined, answer: ApiResponse): boolean {
  if (!(answer.body instanceof Uint8Array) || answer.body.length <= thresholdBytes || !acceptEncoding) return false;
  const type = String(answer.headers["content-type"] ?? "");
  if (path.startsWith("/openapi/") || !/^application\/(?:json|yaml|vnd\.kubernetes\.protobuf)/.test(type)) return false;
  return acceptEncoding.split(",").some((token) => token.trim() === "gzip");
}

/** Compresses on the thread pool; the result may be sent with `content-encoding: gzip`. */
export async function gzipBody(body: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import("node:zlib");
  return await new Promise((resolve, reject) => gzip(body, { level }, (error, out) => (error ? reject(error) : resolve(out))));
}
