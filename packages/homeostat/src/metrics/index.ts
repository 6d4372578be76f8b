/**
 * Metrics in Prometheus' text format, usable alone. An operator's own metrics are served with the
 * manager's: `createManager({ metrics: { custom } })`.
 * @module homeostat/metrics
 */
export {
  createMetrics,
  type HistogramOptions,
  type MetricOptions,
  type MetricSet,
  type Metrics,
} from "./create-metrics.ts";
export { formatFloat, formatLabels, formatMetrics, metricsMediaType } from "./format-metrics.ts";
export { type Counter, exponentialBuckets, type Gauge, type Histogram } from "./instruments.ts";
export type { Labels, MetricFamily, Sample } from "./metric-family.ts";
