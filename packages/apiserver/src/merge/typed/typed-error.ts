// Errors of values that do not fit their type, and how upstream prints them.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/helpers.go (ValidationErrors).
import { MergeError } from "../fieldpath/merge-error.ts";

/** One error; `path` prints as `.spec.ports[port=80]`. */
export interface TypedError {
  readonly path: string;
  readonly message: string;
}

export const typedError = (message: string): readonly TypedError[] => [{ path: "", message }];

/** The same errors with one more step at the front of their paths. */
export const below = (step: string, errors: readonly TypedError[]): readonly TypedError[] =>
  errors.length ? errors.map(({ path, message }) => ({ path: step + path, message })) : errors;

/** One line for a single error; otherwise a heading and an indented line for each. */
export function formatTypedErrors(errors: readonly TypedError[]): string {
  const lines = errors.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return lines.length === 1
    ? lines[0]!
    : ["errors:", ...lines.map((line) => `  ${line}`)].join("\n");
}

/** Throws {@link MergeError} if there are errors. */
export function throwTypedErrors(errors: readonly TypedError[], prefix = ""): void {
  if (errors.length) throw new MergeError(prefix + formatTypedErrors(errors));
}
