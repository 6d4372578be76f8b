// What the options of a call and the scope of its client change of any request. Pure.
// Upstream: k8s.io/client-go/rest/request.go (timeout), DeleteOptions over the query in
// k8s.io/apiserver/pkg/endpoints/handlers/delete.go.
import { isObject, type Json } from "../../api/json.ts";
import { argumentError } from "../../util/argument-error.ts";
import type { ApiRequest, RequestOptions } from "../client.ts";

/** @throws ERR_ARGUMENT for a deletion in a dry run whose options cannot be read */
export function callRequest(
  request: ApiRequest,
  { serverTimeoutMs }: Pick<RequestOptions, "serverTimeoutMs">,
  dryRun: "All" | undefined,
): ApiRequest {
  const dry = dryRun && request.method !== "GET" ? asDryRun(request, dryRun) : request;
  if (!serverTimeoutMs) return dry;
  return { ...dry, query: { ...dry.query, timeout: `${serverTimeoutMs}ms` } };
}

/** The server reads the options of a deletion from its body, if it has one. */
function asDryRun(request: ApiRequest, dryRun: "All"): ApiRequest {
  const { method, body } = request;
  if (method !== "DELETE" || body === undefined)
    return { ...request, query: { ...request.query, dryRun } };
  if (body instanceof Uint8Array || !isObject(body as Json))
    throw argumentError("a deletion in a dry run", body, "DeleteOptions as an object");
  return { ...request, body: { ...(body as object), dryRun: [dryRun] } };
}
