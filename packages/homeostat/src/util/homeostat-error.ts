// Errors of our own making: a stable code, what to do next, and whose it is to mend. Match by
// `code`, never by class, because two copies of this package may meet in one process. Every code
// has a row in docs/reference/errors.md.

const brand = Symbol.for("homeostat.error");

/**
 * An error with a stable code. The message says what was attempted on what, what was expected and
 * what came.
 */
export class HomeostatError<Code extends string = string> extends Error {
  override readonly name = "HomeostatError";
  readonly [brand] = true;
  /** `ERR_<AREA>_<WHAT>`; stable for ever. */
  readonly code: Code;
  /** What to do next, one sentence. */
  readonly hint: string;
  /** "user": the caller can mend it. "bug": report it. */
  readonly audience: "user" | "bug";

  constructor(
    code: Code,
    message: string,
    options: {
      readonly hint: string;
      readonly audience?: "user" | "bug";
      readonly cause?: unknown;
    },
  ) {
    super(
      `${code}: ${message}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.hint = options.hint;
    this.audience = options.audience ?? "user";
  }
}

/**
 * True for a {@link HomeostatError} of any copy of this package, with the given code when one is
 * named.
 */
export function isHomeostatError(error: unknown, code?: string): error is HomeostatError {
  return (
    typeof error === "object" &&
    error !== null &&
    brand in error &&
    (code === undefined || (error as HomeostatError).code === code)
  );
}
