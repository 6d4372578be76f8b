// Durations of the kitchen, e.g. `1.5s`, `2m`.

/** Parses a duration as k.duration() admits it, into seconds. */
export function parseSeconds(duration: string): number {
  const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };
  return [...duration.matchAll(/([0-9.]+)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * units[unit!]!,
    0,
  );
}
