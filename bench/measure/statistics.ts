// Medians and percentiles of samples; no means, because noisy cores distort them most.

/** The value below which `share` (0 to 1) of the samples lie; nearest rank. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return (
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ??
    Number.NaN
  );
}

/** The middle sample. */
export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** Minimum, median and maximum of the rounds of one figure. */
export function spread(samples: readonly number[]): {
  readonly min: number;
  readonly median: number;
  readonly max: number;
} {
  return { min: Math.min(...samples), median: median(samples), max: Math.max(...samples) };
}
