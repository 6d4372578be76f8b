// Texts for values that users' code throws, rejects with or returns: any value, also one whose
// getters throw.
import { inspect } from "node:util";

/** Causes below an error that are described; a chain may be a circle. */
const deepest = 5;

/**
 * The message of an error with those of its causes that it does not repeat (`fetch failed: connect
 * ECONNREFUSED …`), or the value itself on one line. Never throws.
 */
export function describeError(error: unknown): string {
  try {
    if (error instanceof Error && typeof error.message === "string") return withCauses(error);
  } catch {
    return "an error whose message cannot be read";
  }
  return typeof error === "string" ? error : describeValue(error);
}

function withCauses(error: Error): string {
  let text = error.message;
  let cause = error.cause;
  for (let depth = 0; depth < deepest && cause instanceof Error; depth++, cause = cause.cause) {
    const { message } = cause;
    const code = (cause as { readonly code?: unknown }).code;
    const more = typeof message === "string" && message !== "" ? message : code;
    if (typeof more === "string" && !text.includes(more)) text += `: ${more}`;
  }
  return text;
}

/** Any value on one line. Never throws. */
export function describeValue(value: unknown): string {
  try {
    return inspect(value, { depth: 2, breakLength: Infinity, maxStringLength: 200 });
  } catch {
    return "a value that cannot be shown";
  }
}
