// Answers of a server to requests that a test makes fail. Pure.
import type { Status, StatusReason } from "homeostat/api";
import type { FaultAnswer } from "./test-fault.ts";
import type { RequestTarget } from "./request-target.ts";

/** Source: k8s.io/apimachinery/pkg/api/errors (NewGenericServerResponse). */
const reasons: Readonly<Record<number, StatusReason>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Expired",
  413: "RequestEntityTooLarge",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** The answer's headers and body. */
export function formatFault(
  { code, message, retryAfterSeconds }: FaultAnswer,
  { verb, resource, name = "" }: RequestTarget,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array } {
  const reason = code === 409 && verb === "create" ? "AlreadyExists" : (reasons[code] ?? "Unknown");
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message:
      message ?? `${verb} ${resource} ${JSON.stringify(name)}: the test asked for this fault`,
    reason,
    details: {
      name,
      kind: resource,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    },
    code,
  } satisfies Status;
  return {
    headers: {
      "content-type": "application/json",
      ...(retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) }),
    },
    body: new TextEncoder().encode(JSON.stringify(status)),
  };
}
