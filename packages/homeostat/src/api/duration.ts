// Durations in Go's notation, e.g. `90s`, `1h30m` or `1.5s`.
// Upstream: Go's time.ParseDuration, without signs.
import { describeValue } from "../util/describe-error.ts";
import { HomeostatError } from "../util/homeostat-error.ts";

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const whole = /^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/;
const part = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g;

/**
 * Parses a duration such as `"1h30m"`, or a number of milliseconds, into milliseconds. @throws
 * ERR_DURATION
 */
export function parseDuration(duration: string | number): number {
  if (typeof duration === "number" && duration >= 0 && Number.isFinite(duration)) return duration;
  const text = typeof duration === "string" ? duration : describeValue(duration);
  if (text === "0") return 0;
  if (!whole.test(text))
    throw new HomeostatError(
      "ERR_DURATION",
      `expected a duration such as 90s, 5m or 1h30m, got ${JSON.stringify(text)}`,
      { hint: "use amounts with the units ms, s, m and h" },
    );
  return [...text.matchAll(part)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * unitMs[unit!]!,
    0,
  );
}
