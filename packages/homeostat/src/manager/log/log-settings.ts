// Format and level of the default log, and how the environment sets them.
import { argumentError } from "../../util/argument-error.ts";
import { checkOptions } from "../../util/call-options.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";

const formats = ["text", "json"] as const;
const levels = ["debug", "info", "warn", "error", "silent"] as const;

export type LogFormat = (typeof formats)[number];
/** The least severe level that is logged. */
export type LogLevel = (typeof levels)[number];

const known = {
  format: "a string",
  level: "a string",
  write: "a function",
  clock: "an object",
} as const;

/** @throws ERR_ARGUMENT */
export function checkLogOptions(call: string, options: Partial<LogSettings>): void {
  checkOptions(call, options, known);
  const { format, level } = options;
  if (format !== undefined && !formats.some((one) => one === format))
    throw argumentError(call, format, `a format: ${formats.join(" or ")}`);
  if (level !== undefined && !levels.some((one) => one === level))
    throw argumentError(call, level, `a level: ${levels.join(", ")}`);
}

/** Format and level of a log. */
export interface LogSettings {
  readonly format: LogFormat;
  readonly level: LogLevel;
}

/** Parses `HOMEOSTAT_LOG`, e.g. `json`, `debug`, `text,debug`. @throws ERR_LOG_SETTING */
export function parseLogSettings(text: string): Partial<LogSettings> {
  const settings: { format?: LogFormat; level?: LogLevel } = {};
  for (const word of text.split(",").map((one) => one.trim().toLowerCase())) {
    const format = formats.find((one) => one === word);
    const level = levels.find((one) => one === word);
    if (format) settings.format = format;
    else if (level) settings.level = level;
    else if (word !== "")
      throw new HomeostatError(
        "ERR_LOG_SETTING",
        `HOMEOSTAT_LOG=${text}: expected a format (${formats.join(", ")}), a level (${levels.join(", ")}) or both, got "${word}"`,
        { hint: "for example HOMEOSTAT_LOG=text,debug" },
      );
  }
  return settings;
}
