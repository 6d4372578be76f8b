// Where a test has opened its cluster, for the warning that it is not closed.
import { pathToFileURL } from "node:url";

/** Where a test calls `called`, e.g. ` at src/order.test.ts:7:30`; "" where that is unknown. */
export function placeOf(called: (...args: never[]) => unknown): string {
  const error = { stack: "" };
  Error.captureStackTrace(error, called);
  const frame = /\n {4}at (?:.*\()?(?:async )?(.*?)\)?(?:\n|$)/.exec(error.stack)?.[1];
  return frame === undefined
    ? ""
    : ` at ${frame.replace(`${pathToFileURL(process.cwd()).href}/`, "")}`;
}

/** Warns of a cluster that keeps the process alive no longer. */
export function warnOfOpen(place: string, idleMs: number): void {
  process.emitWarning(
    `the test cluster opened${place} is not closed, and no test has used it for ${idleMs / 1000} s: it keeps the process alive no longer; declare it with \`await using\`, or close it when its tests have ended`,
    { type: "HomeostatWarning" },
  );
}
