// Users' functions that must be synchronous, and are async by mistake: their promise is refused,
// and its rejection, which nothing else would receive, does not end the process.
import { HomeostatError } from "./homeostat-error.ts";

/**
 * The value that a user's function has returned. `what` names the function, `expected` its result.
 * @throws ERR_ASYNC_FUNCTION for a promise
 */
export function refusePromise<T>(returned: T, what: string, expected: string): T {
  if (!dropPromise(returned)) return returned;
  throw new HomeostatError(
    "ERR_ASYNC_FUNCTION",
    `${what} returned a promise; it must return ${expected}`,
    { hint: "write a function that is not async and reads only its arguments" },
  );
}

/** True for a promise, whose rejection is then ignored. Never throws. */
export function dropPromise(value: unknown): boolean {
  if (!isThenable(value)) return false;
  Promise.resolve(value).catch(() => {});
  return true;
}

/** True for a promise of any implementation. Never throws. */
export function isThenable(value: unknown): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  try {
    return typeof (value as { readonly then?: unknown }).then === "function";
  } catch {
    return false;
  }
}
