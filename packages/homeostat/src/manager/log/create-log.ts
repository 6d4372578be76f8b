// The default log of a manager: readable lines on a terminal, JSON lines elsewhere.
import type { ReconcileLog } from "../../controller/define-controller.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import {
  checkLogOptions,
  type LogLevel,
  type LogSettings,
  parseLogSettings,
} from "./log-settings.ts";
import { createTextLog } from "./text-log.ts";

/** A log that discards everything. */
export const silentLog: ReconcileLog = { debug() {}, info() {}, warn() {}, error() {} };

/** Options of a log; each overrides its part of `HOMEOSTAT_LOG`. */
export interface LogOptions extends Partial<LogSettings> {
  /** Default: standard error. */
  readonly write?: (line: string) => void;
  readonly clock?: Pick<Clock, "now">;
}

/**
 * Creates the default log. Default format: `text` when standard error is a terminal, else `json`;
 * default level `info`. The environment sets both: `HOMEOSTAT_LOG=json`, `=debug`, `=text,debug`.
 * @throws ERR_LOG_SETTING
 */
export async function createLog(options: LogOptions = {}): Promise<ReconcileLog> {
  checkLogOptions("createLog(…)", options);
  const given = parseLogSettings(process.env["HOMEOSTAT_LOG"] ?? "");
  const {
    format = given.format ?? (process.stderr.isTTY ? "text" : "json"),
    level = given.level ?? "info",
    clock = createSystemRuntime().clock,
    write = (line) => void process.stderr.write(line),
  } = options;
  if (level === "silent") return silentLog;
  if (format === "json") return createPinoLog({ level, ...(options.write ? { write } : {}) });
  const hasColors = options.write === undefined && process.stderr.hasColors?.() === true;
  return createTextLog({ level, write, hasColors, clock });
}

/** Creates a log of JSON lines on standard error, from `level` upwards; default `info`. */
export async function createPinoLog(
  options: { readonly level?: LogLevel; readonly write?: (line: string) => void } = {},
): Promise<ReconcileLog> {
  checkLogOptions("createPinoLog(…)", options);
  if (options.level === "silent") return silentLog;
  const { pino } = await import("pino");
  const logger = pino(
    { level: options.level ?? "info" },
    options.write ? { write: options.write } : pino.destination({ dest: 2, sync: true }),
  );
  const say =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, given?: Readonly<Record<string, unknown>>): void => {
      const { error, ...fields } = given ?? {};
      logger[level]({ ...fields, ...(error === undefined ? {} : { err: error }) }, message);
    };
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}
