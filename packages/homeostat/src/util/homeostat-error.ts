// Homeostat's errors: a stable code, a hint, and who can fix them. Match errors by `code`, never by
// class, because one process may load two copies of this package. docs/reference/errors.md has a
// row for every code.

const brand = Symbol.for("homeostat.error");

/**
 * An error with a stable code. The message states what was attempted on which object, what was
 * expected and what came. The hint is also the second line of `stack`: Node prints that when
 * nothing catches the error.
 */
export class HomeostatError<Code extends string = string> extends Error {
  override readonly name = "HomeostatError";
  /** `ERR_<AREA>_<WHAT>`; never changes. */
  readonly code: Code;
  /** What to do next, one sentence. */
  readonly hint: string;
  /** "user": the caller can fix it. "bug": report it. */
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
    const head = `${this.name}: ${this.message}`;
    const stack = this.stack?.replace(/^.*?(?=\n {4}at )/s, () => `${head}\n  ${options.hint}`);
    Object.defineProperty(this, "stack", { value: stack, writable: true, configurable: true });
  }

  get [brand](): true {
    return true;
  }
}

/**
 * True for a {@link HomeostatError} of any copy of this package, optionally with the given code.
 */
export function isHomeostatError(error: unknown, code?: string): error is HomeostatError {
  return (
    typeof error === "object" &&
    error !== null &&
    brand in error &&
    (code === undefined || (error as HomeostatError).code === code)
  );
}
