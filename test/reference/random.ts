// A generator of its own, so that a seed repeats a run; and ways to draw from it.

/** An integer from 0 up to, not including, `below`. */
export type Random = (below: number) => number;

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b9);
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

export const pick = <T>(random: Random, values: readonly T[]): T => values[random(values.length)]!;
/** Each value with a chance of one in `oneIn`. */
export const some = <T>(random: Random, values: readonly T[], oneIn = 3): T[] =>
  values.filter(() => random(oneIn) === 0);
export const shuffled = <T>(random: Random, values: readonly T[]): T[] =>
  values
    .map((value) => ({ value, at: random(1000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
