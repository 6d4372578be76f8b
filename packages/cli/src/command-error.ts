// A failure that the user can fix: printed in one line, without a stack trace.

/** Exit code for wrong usage. */
export const usageExitCode = 2;

/** Ends the command with this message and exit code. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Wrong usage: exit code 2. */
export const usageError = (message: string): CommandError =>
  new CommandError(message, usageExitCode);

/** Checks the value of `--output`. */
export function parseOutput(output: unknown): "text" | "json" {
  if (output === "text" || output === "json") return output;
  throw usageError(`--output: expected text or json, got ${JSON.stringify(output)}`);
}
