// The response to an error: the Status that was thrown, or a 500 for an unexpected error.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters (status.go, writers.go
// ErrorNegotiated).
import { isApiStatusError, type Json, type JsonObject, type Status } from "homeostat/api";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { internalError, plainError } from "../../apimachinery/errors/api-errors.ts";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { textResponse } from "../../apimachinery/text-response.ts";
import type { CoreServices } from "../scope/core-services.ts";
import { type Accepted, negotiate, plainJson } from "../negotiation/accept.ts";
import type { ServerRequest } from "../request/server-request.ts";
import { encodeObjectBytes } from "../revisions/stored-json.ts";
import { objectResponse, writtenResponse } from "./encode-response.ts";

/** The response for an error thrown while serving `request`. */
export async function errorResponse(
  core: CoreServices,
  request: ServerRequest,
  error: unknown,
): Promise<ApiResponse> {
  const status = statusOf(error);
  if (status.code < 100 || status.code > 999) return panicResponse();
  const accepted = acceptedForErrors(core, request);
  const scope = { core, request, accepted };
  const object = status as unknown as JsonObject;
  // Upstream writes what nobody can accept past its audit.
  const response =
    accepted === indentedJson
      ? writtenResponse(scope, status.code, encodeObjectBytes(object))
      : await objectResponse(scope, status.code, object);
  const retryAfter = status.details?.retryAfterSeconds ?? 0;
  return retryAfter > 0
    ? { ...response, headers: { ...response.headers, "retry-after": String(retryAfter) } }
    : response;
}

/**
 * For a code that HTTP cannot carry, which webhooks may give: Go's http.ResponseWriter panics, and
 * upstream answers as for any panic (k8s.io/apiserver/pkg/server/filters/wrap.go).
 */
const panicResponse = (): ApiResponse =>
  textResponse(500, "This request caused apiserver to panic. Look in the logs for details.\n");

/** The Status of an error; bugs become 500 with the message. */
export function statusOf(error: unknown): Status {
  if (isApiStatusError(error)) return error.status;
  if (isStackOverflow(error)) return plainError("invalid character '{' exceeded max depth").status;
  return internalError(reasonOf(error)).status;
}

/**
 * A body that is nested deeper than some recursion reaches, such as schemas within schemas, gets
 * upstream's message for that. Nothing has been stored then.
 */
const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message.startsWith("Maximum call stack");

const indentedJson: Accepted = { ...plainJson, pretty: true };

/** Errors are never Tables or metadata; without an acceptable media type they are indented JSON. */
function acceptedForErrors(core: CoreServices, request: ServerRequest): Accepted {
  try {
    return negotiate(request.api.headers["accept"] ?? "", {
      protobuf: core.protobuf?.encode ? "objects" : "none",
      table: false,
      forms: "own",
    });
  } catch {
    return indentedJson;
  }
}

/** A Status that reports success, e.g. of a delete. */
export function successStatus(details: JsonObject): JsonObject {
  return { kind: "Status", apiVersion: "v1", metadata: {} as Json, status: "Success", details };
}
