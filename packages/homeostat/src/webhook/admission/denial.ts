// What user code answers to refuse a request: a value to return or to throw. It becomes the
// response's status.
// Upstream: sigs.k8s.io/controller-runtime/pkg/webhook/admission/response.go (Denied),
// k8s.io/apimachinery/pkg/api/errors/errors.go (NewInvalid).
import type { StatusCause, StatusReason } from "../../api/status.ts";

const brand = Symbol.for("homeostat.admission-denial");

/** Why a request is refused. */
export interface DenialOptions {
  /** Default "Forbidden". */
  readonly reason?: StatusReason;
  /** The HTTP status of the write. Default: that of the reason. */
  readonly code?: number;
  /** The fields that are wrong. */
  readonly causes?: readonly StatusCause[];
}

/** A refusal of a request, as `deny` and `invalid` return it. */
export class Denial extends Error {
  override readonly name = "Denial";
  readonly reason: StatusReason;
  readonly code: number;
  readonly causes: readonly StatusCause[];
  /** True when the message names the object, as messages of invalid objects do. */
  readonly namesObject: boolean;

  constructor(
    message: string,
    options: Required<DenialOptions> & { readonly namesObject: boolean },
  ) {
    super(message);
    this.reason = options.reason;
    this.code = options.code;
    this.causes = options.causes;
    this.namesObject = options.namesObject;
  }

  get [brand](): true {
    return true;
  }
}

/** True for a {@link Denial} of any copy of this package. */
export const isDenial = (value: unknown): value is Denial =>
  typeof value === "object" && value !== null && brand in value;

/** Codes of reasons; see k8s.io/apimachinery/pkg/apis/meta/v1/types.go (StatusReason). */
const codes: Readonly<Partial<Record<StatusReason, number>>> = {
  BadRequest: 400,
  Unauthorized: 401,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
};

/**
 * Refuses the request: `return deny("the kitchen is closed")`. Clients see the message behind the
 * name of the webhook. Default: 403 Forbidden.
 */
export function deny(message: string, options: DenialOptions = {}): Denial {
  const { reason = "Forbidden", code = codes[reason] ?? 403, causes = [] } = options;
  return new Denial(message, { reason, code, causes, namesObject: false });
}

/** One wrong field of an object. */
export interface FieldFault {
  /** e.g. `spec.dishes[0].name`. */
  readonly field: string;
  /** e.g. `must be at least 1`. */
  readonly message: string;
  /** Default "FieldValueInvalid". */
  readonly reason?: string;
}

/**
 * Refuses the object for its fields, as the API server's own validation does: 422 Invalid, e.g.
 * `Order.kitchen.example.com "lunch" is invalid: spec.table: must be at least 1`.
 */
export function invalid(...faults: readonly [FieldFault, ...FieldFault[]]): Denial {
  const texts = faults.map(({ field, message }) => `${field}: ${message}`);
  const message = texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`;
  const causes = faults.map(({ field, message: text, reason = "FieldValueInvalid" }) => ({
    reason,
    message: text,
    field,
  }));
  return new Denial(message, { reason: "Invalid", code: 422, causes, namesObject: true });
}
