// Format and level of the default log, and how the environment sets them.
import { HomeostatError } from "../../util/homeostat-error.ts";

const formats = ["text", "json"] as const;
const levels = ["debug", "info", "warn", "error", "silent"] as const;

export type LogFormat = (typeof formats)[number];
/** The least severe level that is logged. */
export type LogLevel = (typeof levels)[number];

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
