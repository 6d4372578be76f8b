// Ranges of sizes and costs, saturating where 64 bits end.
// Upstream: github.com/google/cel-go v0.26 checker/cost.go (SizeEstimate, CostEstimate).

/** From `min` to `max`, both included. */
export interface Estimate {
  readonly min: number;
  readonly max: number;
}

/** Stands for everything that no longer fits 64 bits. */
export const unbounded = 2 ** 64;

const cap = (value: number): number => Math.min(value, unbounded);
const times = (x: number, y: number): number => (x === 0 || y === 0 ? 0 : cap(x * y));

export const fixed = (value: number): Estimate => ({ min: value, max: value });
export const unknownSize: Estimate = { min: 0, max: unbounded };
export const addEstimates = (...estimates: readonly Estimate[]): Estimate =>
  estimates.reduce((a, b) => ({ min: cap(a.min + b.min), max: cap(a.max + b.max) }), fixed(0));
export const multiplyEstimates = (a: Estimate, b: Estimate): Estimate => ({
  min: times(a.min, b.min),
  max: times(a.max, b.max),
});
/** Rounds up. */
export const scaleEstimate = (a: Estimate, factor: number): Estimate => ({
  min: cap(Math.ceil(a.min * factor)),
  max: cap(Math.ceil(a.max * factor)),
});
export const uniteEstimates = (a: Estimate, b: Estimate): Estimate => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});
