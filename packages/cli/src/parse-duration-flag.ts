// Flags that take a duration. A bad value is a usage error that names the flag.
import { parseDuration } from "homeostat/api";
import { usageError } from "./command-error.ts";

/** Parses the value of `flag`, e.g. `--event-ttl`, into milliseconds. */
export function parseDurationFlag(flag: string, text: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw usageError(
      `${flag}: expected a duration such as 90s, 5m or 1h30m, got ${JSON.stringify(text)}`,
    );
  }
}
