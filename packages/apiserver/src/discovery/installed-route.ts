// The refusals of installed routes, and JSON responses.
// Upstream: github.com/emicklei/go-restful, k8s.io/apiserver/pkg/server/mux.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../apimachinery/handler.ts";

/**
 * The refusal before a handler runs: 405 for methods other than GET, 406 for unknown media types.
 */
export function refusal(
  method: string,
  accept: string,
  offered: readonly string[],
): ApiResponse | undefined {
  if (method !== "GET")
    return failure(
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
      {},
    );
  const named = accept.split(",").map((clause) => clause.split(";", 1)[0]!.trim());
  if (!accept || named.some((name) => name === "*/*" || offered.includes(name))) return undefined;
  return failure(
    406,
    "NotAcceptable",
    `406: Not Acceptable\n\nAvailable representations: ${offered.join(", ")}`,
    {},
  );
}

/** A response with a failure Status. */
export function failure(
  code: number,
  reason: string,
  message: string,
  details?: JsonObject,
): ApiResponse {
  return json(
    code,
    `${JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, ...(details ? { details } : {}), code })}\n`,
  );
}

/** A response with a JSON text. */
export const json = (status: number, text: string): ApiResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: new TextEncoder().encode(text),
});
