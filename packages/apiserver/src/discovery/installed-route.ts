// The refusals of installed routes, and JSON responses.
// Upstream: github.com/emicklei/go-restful, k8s.io/apiserver/pkg/server/mux.
import type { JsonObject, Status } from "homeostat/api";
import type { DiscoveryRequest } from "./discovery-request.ts";
import type { ApiResponse } from "../apimachinery/handler.ts";

/**
 * The refusal before a handler runs: 405 for methods other than GET, 406 for unknown media types.
 */
export function refusal(
  request: Pick<DiscoveryRequest, "method" | "accept" | "audit">,
  offered: readonly string[],
): ApiResponse | undefined {
  const status = faultOf(request, offered);
  if (!status) return undefined;
  const { audit } = request;
  const text = JSON.stringify(status);
  audit?.takeStatus(status);
  audit?.takeResponseObject(new TextEncoder().encode(text));
  return json(status.code, `${text}\n`);
}

function faultOf(
  { method, accept }: Pick<DiscoveryRequest, "method" | "accept">,
  offered: readonly string[],
): Status | undefined {
  if (method !== "GET")
    return failureStatus(
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
      {},
    );
  const named = accept.split(",").map((clause) => clause.split(";", 1)[0]!.trim());
  if (!accept || named.some((name) => name === "*/*" || offered.includes(name))) return undefined;
  return failureStatus(
    406,
    "NotAcceptable",
    `406: Not Acceptable\n\nAvailable representations: ${offered.join(", ")}`,
    {},
  );
}

/** A response with a failure Status. */
export const failure = (code: number, reason: string, message: string): ApiResponse =>
  json(code, `${JSON.stringify(failureStatus(code, reason, message))}\n`);

const failureStatus = (
  code: number,
  reason: string,
  message: string,
  details?: JsonObject,
): Status => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason,
  ...(details ? { details } : {}),
  code,
});

/** A response with a JSON text. */
export const json = (status: number, text: string): ApiResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: new TextEncoder().encode(text),
});
