// A logger is users' code: one that throws or rejects must not disturb the work that it reports.
import { describeError } from "../util/describe-error.ts";
import type { ReconcileLog } from "./define-controller.ts";

const levels = ["debug", "info", "warn", "error"] as const;

/**
 * The log with `bound` added to the fields of every message. Its errors, also rejections, become
 * one process warning.
 */
export function guardLog(
  log: ReconcileLog,
  bound: Readonly<Record<string, unknown>> = {},
): ReconcileLog {
  let hasWarned = false;
  const broken = (error: unknown): void => {
    if (hasWarned) return;
    hasWarned = true;
    process.emitWarning(`the log throws: ${describeError(error)}`, { type: "HomeostatWarning" });
  };
  const say =
    (level: (typeof levels)[number]) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      try {
        const result: unknown = log[level](message, { ...bound, ...fields });
        if (result instanceof Promise) result.catch(broken);
      } catch (error) {
        broken(error);
      }
    };
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}
