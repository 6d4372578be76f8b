// What counts: counters, gauges and histograms, one object for each series. A caller that counts
// often keeps the series; nothing is looked up or allocated then.
// Upstream: github.com/prometheus/client_golang/prometheus.
import type { Labels, Sample } from "./metric-family.ts";
import { formatFloat } from "./format-metrics.ts";

/** Only grows. */
export interface Counter {
  /** @param by default 1; not negative */
  inc(by?: number): void;
}

/** Goes up and down. */
export interface Gauge {
  set(value: number): void;
  /** @param by default 1 */
  add(by?: number): void;
}

/** Counts values by size. */
export interface Histogram {
  observe(value: number): void;
}

/** A series that can be read. */
export interface Series {
  samples(labels: Labels): readonly Sample[];
}

/** A counter or a gauge: the kind says what callers may do. */
export class NumberSeries implements Counter, Gauge, Series {
  #value = 0;

  inc(by = 1): void {
    this.#value += by;
  }

  add(by = 1): void {
    this.#value += by;
  }

  set(value: number): void {
    this.#value = value;
  }

  samples(labels: Labels): readonly Sample[] {
    return [{ labels, value: this.#value }];
  }
}

/** Counts in buckets, whose upper bounds ascend. */
export class HistogramSeries implements Histogram, Series {
  readonly #bounds: readonly number[];
  /** Of each bucket alone, with what is above all bounds as the last. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let i = 0;
    while (i < bounds.length && !(value <= bounds[i]!)) i++;
    this.#counts[i]!++;
    this.#sum += value;
  }

  samples(labels: Labels): readonly Sample[] {
    let count = 0;
    const buckets = Array.from(this.#counts, (inBucket, i): Sample => {
      count += inBucket;
      const le = formatFloat(this.#bounds[i] ?? Infinity);
      return { suffix: "_bucket", labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { suffix: "_sum", labels, value: this.#sum },
      { suffix: "_count", labels, value: count },
    ];
  }
}

/** Bounds that grow by a factor: `exponentialBuckets(1, 2, 3)` is 1, 2, 4. */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  const bounds: number[] = [];
  for (let bound = start; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}
