// What a read of metrics yields: families of samples, as values.
// Upstream: github.com/prometheus/client_model.

/** Label values by label name. */
export type Labels = Readonly<Record<string, string>>;

/** One line of a family. */
export interface Sample {
  /** What a histogram's samples add to the family's name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: "_bucket" | "_sum" | "_count";
  readonly labels: Labels;
  readonly value: number;
}

/** All samples of one name. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}
