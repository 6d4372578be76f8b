// meta/v1 Status, the server's description of a failure, and the error that contains it unchanged.
// Match errors with the predicates on `reason`, never by class, because one process may load two
// copies of this package.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1 types.go (StatusReason), pkg/api/errors/errors.go.
import { withUserFrames } from "../util/user-frames.ts";

/** Reasons of the API machinery; servers may send others. */
export type StatusReason =
  | ""
  | "Unauthorized"
  | "Forbidden"
  | "NotFound"
  | "AlreadyExists"
  | "Conflict"
  | "Gone"
  | "Invalid"
  | "ServerTimeout"
  | "StoreReadError"
  | "Timeout"
  | "TooManyRequests"
  | "BadRequest"
  | "MethodNotAllowed"
  | "NotAcceptable"
  | "RequestEntityTooLarge"
  | "UnsupportedMediaType"
  | "InternalError"
  | "Expired"
  | "ServiceUnavailable";

/** One cause of a failure: for validation, one field error. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** Details of a failure. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** meta/v1 Status on the wire. */
export interface Status {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: {
    readonly continue?: string;
    readonly resourceVersion?: string;
    readonly remainingItemCount?: number;
  };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: StatusReason | (string & {});
  readonly details?: StatusDetails;
  readonly code: number;
}

const brand = Symbol.for("homeostat.api-status-error");

/** The API server refused a request with `status`. */
export class ApiStatusError extends Error {
  override readonly name = "ApiStatusError";
  readonly status: Status;
  /** The refused request, e.g. `GET /api/v1/namespaces/default/configmaps/menu`. */
  readonly request?: string;

  /** `advice` is appended to the server's message; `status` stays unchanged. */
  constructor(
    status: Status,
    options: ErrorOptions & { readonly advice?: string; readonly request?: string } = {},
  ) {
    const { advice, request, ...rest } = options;
    const said = status.message || `the server answered ${status.code}`;
    super(advice ? `${said} (${advice})` : said, rest);
    this.status = status;
    if (request !== undefined) this.request = request;
    if (this.stack !== undefined) this.stack = withUserFrames(this.stack);
  }

  get [brand](): true {
    return true;
  }
}

/** True for an {@link ApiStatusError} of any copy of this package. */
export function isApiStatusError(error: unknown): error is ApiStatusError {
  return typeof error === "object" && error !== null && brand in error;
}

const hasReason =
  (reason: StatusReason, code: number) =>
  (error: unknown): error is ApiStatusError =>
    isApiStatusError(error) &&
    (error.status.reason === reason || (!error.status.reason && error.status.code === code));

/** 404: the object, its kind or its namespace does not exist. */
export const isNotFound = hasReason("NotFound", 404);
/** 409: an object of that name already exists. */
export const isAlreadyExists = hasReason("AlreadyExists", -1);
/** 409: another client has changed the object, or owns the field. */
export const isConflict = hasReason("Conflict", 409);
/** 422: the object is invalid. */
export const isInvalid = hasReason("Invalid", 422);
/** 403: not allowed by authorization or admission. */
export const isForbidden = hasReason("Forbidden", 403);
/** 401: authentication failed. */
export const isUnauthorized = hasReason("Unauthorized", 401);
/** 429: not now; the server may say when (`Retry-After`). */
export const isTooManyRequests = hasReason("TooManyRequests", 429);
/** 410: the requested revision has been compacted. */
export const isExpired = (error: unknown): error is ApiStatusError =>
  hasReason("Expired", 410)(error) || hasReason("Gone", 410)(error);
