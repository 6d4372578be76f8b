// How the tests of patches and applies read refusals.
import { isApiStatusError, type Status } from "homeostat/api";

/** The Status that `action` throws. */
export function refusal(action: () => unknown): Status {
  try {
    action();
  } catch (error) {
    if (isApiStatusError(error)) return error.status;
    throw error;
  }
  throw new Error("it was not refused");
}

/** Code and message of the Status that `action` throws. */
export function said(action: () => unknown): string {
  const { code, message } = refusal(action);
  return `${code} ${message}`;
}
