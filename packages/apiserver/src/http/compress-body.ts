// Compresses large responses for clients that accept gzip.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go (threshold, level,
// which responses); k8s.io/kube-openapi/pkg/handler (version two), Prometheus's promhttp (metrics).
import { type ApiResponse, isStream } from "../apimachinery/handler.ts";

const thresholdBytes = 128 * 1024;
const level = 1;

/** Whether a coding is listed with a weight above zero. */
const accepts = (accepted: string, coding: string): boolean =>
  accepted.split(",").some((token) => {
    const [name = "", weight = ""] = token.split(";").map((part) => part.trim());
    return name === coding && !/^q=0(?:\.0*)?$/.test(weight);
  });

/** The extra headers of a compressed response; undefined when upstream would not compress it. */
export function gzipHeaders(
  path: string,
  acceptEncoding: string | undefined,
  answer: ApiResponse,
): Readonly<Record<string, string>> | undefined {
  if (isStream(answer.body) || answer.body.length === 0 || !acceptEncoding) return undefined;
  const packed = { "content-encoding": "gzip" };
  // Upstream, metrics and OpenAPI have their own handlers.
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
