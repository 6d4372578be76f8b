// The refusals of installed routes, and JSON responses.
// Upstream: github.com/emicklei/go-restful, k8s.io/apiserver/pkg/server/mux.
import type { JsonObject, Status } from "homeostat/api";
import type { DiscoveryRequest } from "./discovery-request.ts";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { type EncodeProtobuf, writeStatus } from "./write-document.ts";

/**
 * The refusal before a handler runs: 405 for methods other than GET, 406 for unknown media types.
 */
export function refusal(
  request: DiscoveryRequest,
  offered: readonly string[],
  protobuf: EncodeProtobuf | undefined,
): ApiResponse | undefined {
  const status = faultOf(request, offered);
  return status && writeStatus(status, request, protobuf);
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

/** The failure of a handler that negotiates by itself. */
export const notAcceptable = (offered: readonly string[]): Status =>
  failureStatus(
    406,
    "NotAcceptable",
    `only the following media types are accepted: ${offered.join(", ")}`,
  );

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
