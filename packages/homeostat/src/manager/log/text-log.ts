// A log for people: one line per message, and stacks at level debug only. For example:
// 12:30:05.123 error orders  Order shop/lunch: failed, trying again in 5 ms: oven is cold
import { inspect } from "node:util";
import type { ReconcileLog } from "../../controller/define-controller.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { LogLevel } from "./log-settings.ts";

type Level = Exclude<LogLevel, "silent">;

const severities: Readonly<Record<LogLevel, number>> = {
  debug: 0,
  info: 1,
  warn: 2,
  error: 3,
  silent: 4,
};
const colors: Readonly<Record<Level, number>> = { debug: 2, info: 36, warn: 33, error: 31 };

/** Options of a text log. */
export interface TextLogOptions {
  /** The least severe level that is logged. */
  readonly level: LogLevel;
  readonly write: (line: string) => void;
  readonly hasColors: boolean;
  readonly clock: Pick<Clock, "now">;
}

/** Creates a text log. */
export function createTextLog(options: TextLogOptions): ReconcileLog {
  const say =
    (level: Level) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      if (severities[level] >= severities[options.level])
        options.write(formatLine(options, level, describeField(message), fields ?? {}));
    };
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}

function formatLine(
  { level: shown, hasColors, clock }: TextLogOptions,
  level: Level,
  message: string,
  { controller, object, error, hint, ...rest }: Readonly<Record<string, unknown>>,
): string {
  const name = level.padEnd(5);
  const head = [
    formatTime(clock.now()),
    hasColors ? `\u001b[${colors[level]}m${name}\u001b[0m` : name,
    ...(controller === undefined ? [] : [`${describeField(controller)} `]),
  ].join(" ");
  const about = object === undefined ? "" : `${describeField(object)}: `;
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}=${quoted(value)}`);
  const advice = hint === undefined ? "" : ` (${describeField(hint)})`;
  const stack = shown === "debug" && error !== undefined ? `\n${indent(describeStack(error))}` : "";
  return `${head} ${oneLine(`${about}${message}${advice}`)}${fields.join("")}${stack}\n`;
}

/** Local time, e.g. `12:30:05.123`. */
function formatTime(ms: number): string {
  const date = new Date(ms);
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, " ");
const indent = (text: string): string => text.replace(/^/gm, "    ");

function describeField(value: unknown): string {
  return typeof value === "string" ? value : inspect(value, { breakLength: Infinity });
}

function quoted(value: unknown): string {
  const text = oneLine(describeField(value));
  return typeof value === "string" && /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}

/** The stack and its causes. Never throws. */
function describeStack(error: unknown): string {
  try {
    return inspect(error, { depth: 4 });
  } catch {
    return "an error that cannot be shown";
  }
}
