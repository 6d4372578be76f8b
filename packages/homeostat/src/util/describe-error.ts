// Texts for values that users' code throws, rejects with or returns: any value, also one whose
// getters throw.
import { inspect } from "node:util";

/** The message of an error, or the value itself on one line. Never throws. */
export function describeError(error: unknown): string {
  try {
    if (error instanceof Error && typeof error.message === "string") return error.message;
  } catch {
    return "an error whose message cannot be read";
  }
  return typeof error === "string" ? error : describeValue(error);
}

/** Any value on one line. Never throws. */
export function describeValue(value: unknown): string {
  try {
    return inspect(value, { depth: 2, breakLength: Infinity, maxStringLength: 200 });
  } catch {
    return "a value that cannot be shown";
  }
}
