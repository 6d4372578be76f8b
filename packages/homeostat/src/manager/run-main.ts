// Runs a program's main function, so that a failure which its reader can mend prints as text and
// not as a crash. Nothing listens to the process: another error ends it as it always does.
import { isApiStatusError } from "../api/status.ts";
import { HomeostatError, isHomeostatError } from "../util/homeostat-error.ts";
import { describeMissing } from "../util/option-faults.ts";

/**
 * Runs the main function of a program: `await runMain(async () => { … })`. When it rejects with an
 * error of this package, of the API server or of its start, prints what was attempted, on what, and
 * what to do to standard error, and ends the process with exit code 1. Rejects with any other
 * error, which Node then prints with its stack. @throws ERR_MAIN_ARGUMENT
 */
export async function runMain(main: () => Promise<unknown>): Promise<void> {
  if (typeof main !== "function")
    throw new HomeostatError(
      "ERR_MAIN_ARGUMENT",
      `running a main function: its argument is ${describeMissing(main)}, expected a function`,
      { hint: "await runMain(async () => { … })" },
    );
  try {
    await main();
  } catch (error) {
    const failure = describeFailure(error);
    if (failure === undefined) throw error;
    process.stderr.write(`${failure}\n`);
    process.exit(1);
  }
}

/** Undefined for what only the stack explains. */
function describeFailure(error: unknown): string | undefined {
  if (isHomeostatError(error))
    return error.audience === "user" ? `${error.message}\n  ${error.hint}` : undefined;
  if (isServerError(error)) return `${error.code}: ${error.message}`;
  if (!isApiStatusError(error)) return undefined;
  const { request, message } = error;
  const isNamed = request === undefined || message.startsWith(request);
  return isNamed ? message : `${request}: ${message}`;
}

/** An error of `startApiServer`, which is in a package above this one. */
const isServerError = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && "code" in error && /^ERR_(SERVER|JOURNAL)_/.test(String(error.code));
