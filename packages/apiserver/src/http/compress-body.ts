// Compression of large answers for clients that ask for it.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go (threshold, level,
// which answers); k8s.io/kube-openapi/pkg/handler (version two), Prometheus's promhttp (metrics).
import type { ApiResponse } from "../apimachinery/handler.ts";

const thresholdBytes = 128 * 1024;
const level = 1;

/** A coding that is listed and not weighed with nothing. */
const accepts = (accepted: string, coding: string): boolean =>
  accepted.split(",").some((token) => {
    const [name = "", weight = ""] = token.split(";").map((part) => part.trim());
    return name === coding && !/^q=0(?:\.0*)?$/.test(weight);
  });

/**
 * The headers of a compressed answer where upstream would compress this one to this request;
 * undefined where it would not.
 */
export function gzipHeaders(
  path: string,
  acceptEncoding: string | undefined,
  answer: ApiResponse,
): Readonly<Record<string, string>> | undefined {
  if (!(answer.body instanceof Uint8Array) || answer.body.length === 0 || !acceptEncoding)
    return undefined;
  const packed = { "content-encoding": "gzip" };
  // Each of these three has a handler of its own upstream.
  if (path === "/metrics" || path.startsWith("/metrics/"))
    return accepts(acceptEncoding, "gzip") ? packed : undefined;
  if (path === "/openapi/v2") return accepts(acceptEncoding, "gzip") ? packed : undefined;
  const type = String(answer.headers["content-type"] ?? "");
  if (
    answer.body.length <= thresholdBytes ||
    path.startsWith("/openapi/") ||
    !/^application\/(?:json|yaml|vnd\.kubernetes\.protobuf)/.test(type)
  )
    return undefined;
  return acceptEncoding.split(",").some((token) => token.trim() === "gzip")
    ? { ...packed, vary: "Accept-Encoding" }
    : undefined;
}

/** Compresses on the thread pool; the result may be sent with `content-encoding: gzip`. */
export async function gzipBody(body: Uint8Array): Promise<Uint8Array> {
  const { gzip } = await import("node:zlib");
  return await new Promise((resolve, reject) =>
    gzip(body, { level }, (error, out) => (error ? reject(error) : resolve(out))),
  );
}
