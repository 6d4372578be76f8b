// Homeostat's errors: a stable code, a hint, and who can fix them. Match errors by `code`, never by
// class, because one process may load two copies of this package. docs/reference/errors.md has a
// row for every code.

import { withUserFrames } from "./user-frames.ts";

const brand = Symbol.for("homeostat.error");

/**
 * An error with a stable code. The message states what was attempted on which object, what was
 * expected and what came. Node prints `stack` when nothing catches the error: the hint is its
 * second line, and of an error that the reader can mend the frames are those of their code.
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
    const {
      hint,
      audience = "user",
      cause,
    } = (options as typeof options | undefined) ?? { hint: "" };
    super(`${String(code)}: ${String(message)}`, cause === undefined ? undefined : { cause });
    if (isSystemError(cause)) cause.stack = withUserFrames(cause.stack);
    this.code = code;
    this.hint = hint;
    this.audience = audience;
    const head = `${this.name}: ${this.message}`;
    const whole = this.stack?.replace(/^.*?(?=\n {4}at )/s, () => `${head}\n  ${hint}`);
    const stack = audience === "user" && whole !== undefined ? withUserFrames(whole) : whole;
    for (const [name, value] of Object.entries({ hint, audience, stack }))
      Object.defineProperty(this, name, {
        value,
        writable: true,
        configurable: true,
        enumerable: false,
      });
  }

  get [brand](): true {
    return true;
  }
}

/** An error of Node, such as ECONNREFUSED: its frames are Node's and this package's. */
const isSystemError = (cause: unknown): cause is Error & { stack: string } =>
  cause instanceof Error && "syscall" in cause && typeof cause.stack === "string";

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
