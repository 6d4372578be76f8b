// A logger is users' code: one that throws or rejects must not disturb the work that it reports.
import { describeError } from "./describe-error.ts";

/** A log with the levels of most loggers; pino's fit it. */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const levels = ["debug", "info", "warn", "error"] as const;

/**
 * The log with `bound` added to the fields of every message. Its errors, also rejections, become
 * one process warning.
 */
export function guardLog(log: Log, bound: Readonly<Record<string, unknown>> = {}): Log {
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
