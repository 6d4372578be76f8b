// Durations as Go writes them: `1h30m`, `1.5s`, `-10ms`. Pure.
// Upstream: Go's time.ParseDuration.
const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const whole = /^[+-]?(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$/;

/** Milliseconds, or undefined for what is no duration. */
export function parseGoDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!whole.test(text)) return undefined;
  const sum = [...text.matchAll(/(\d+(?:\.\d*)?)(ns|us|µs|ms|s|m|h)/g)].reduce(
    (total, [, amount, unit]) => total + Number(amount) * unitMs[unit!]!,
    0,
  );
  return text.startsWith("-") ? -sum : sum;
}
