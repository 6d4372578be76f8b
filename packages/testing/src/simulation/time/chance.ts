// Random numbers that a seed repeats: a small generator of good quality for what is decided here,
// and bytes from it for what a runtime needs.
// Source: mulberry32, a public-domain generator by Tommy Ettinger.
import type { Entropy } from "homeostat/runtime";

/** A number in [0, 1). */
export type Chance = () => number;

export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function createEntropy(seed: number): Entropy {
  const chance = createChance(seed);
  return {
    bytes: (n) => Uint8Array.from({ length: n }, () => Math.floor(chance() * 256)),
  };
}
