// A sample that a seed repeats.

/** `size` of the items in an order that `seed` gives; the first of them are a sample too. */
export function sample<T>(items: readonly T[], size: number, seed: number): readonly T[] {
  const next = mulberry32(seed);
  return items
    .map((item) => ({ item, rank: next() }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, size)
    .map(({ item }) => item);
}

/** The generator mulberry32: numbers from 0 to 1. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
