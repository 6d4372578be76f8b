// The error of a call that was given what it cannot use.
import { HomeostatError } from "./homeostat-error.ts";
import { describeMissing } from "./option-faults.ts";

/** @param call e.g. `status(…)` */
export const argumentError = (call: string, given: unknown, expected: string): HomeostatError =>
  new HomeostatError(
    "ERR_ARGUMENT",
    `${call}: an argument is ${describeMissing(given)}, expected ${expected}`,
    { hint: "pass what the message names" },
  );
