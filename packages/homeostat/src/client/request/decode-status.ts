// From a refusing answer to the error that is thrown: the server's Status untouched, or one built from what came.
// Upstream: k8s.io/apimachinery/pkg/api/errors NewGenericServerResponse (reasons by code for answers that are no Status).
import { ApiStatusError, type Status, type StatusReason } from "../../api/status.ts";
import type { ApiRequest } from "../client.ts";
import { decodeJson } from "./decode-json.ts";

const reasons: Readonly<Record<number, StatusReason>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};
const shownBytes = 512;

/** The error for an answer of 400 or above. */
export function toStatusError(request: Pick<ApiRequest, "method" | "path">, code: number, body: Uint8Array): ApiStatusError {
  return new ApiStatusError(readStatus(body) ?? foreignStatus(request, code, body));
}

/** True for a meta/v1 Status. */
function readStatus(body: Uint8Array): Status | undefined {
  try {
    const value = decodeJson(body) as unknown as Status | null;
    return value?.kind === "Status" && value.apiVersion === "v1" && typeof value.code === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An answer of something else than an API server, or an old one: a proxy's page, plain text. */
function foreignStatus(request: Pick<ApiRequest, "method" | "path">, code: number, body: Uint8Array): Status {
  const text = new TextDecoder().decode(body.subarray(0, shownBytes)).trim();
  const said = text ? `: ${text}` : "";
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `${request.method} ${request.path}: the server answered ${code} without a Status${said}`,
    reason: reasons[code] ?? (code >= 500 ? "InternalError" : ""),
    code,
  };
}
