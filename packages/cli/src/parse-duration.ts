// Durations of flags, as Go writes them: 90s, 1h30m, 1h0m0s, 1.5h.
// Upstream: Go's time.ParseDuration, without signs and units below a millisecond.
import { usageError } from "./command-error.ts";

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Milliseconds. Throws a usage error that names `flag`, e.g. `--event-ttl`. */
export function parseDuration(flag: string, text: string): number {
  if (text === "0") return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s))+$/.test(text))
    throw usageError(
      `${flag}: expected a duration such as 90s, 5m or 1h30m, got ${JSON.stringify(text)}`,
    );
  return [...text.matchAll(/([\d.]+)(h|ms|m|s)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * unitMs[unit!]!,
    0,
  );
}
