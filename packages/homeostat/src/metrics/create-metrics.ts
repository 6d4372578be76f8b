// A set of metrics: instruments by name, and functions that compute families when metrics are read.
// Each program makes its own: there is no default set.
// Upstream: github.com/prometheus/client_golang/prometheus/registry.go.
import { HomeostatError } from "../util/homeostat-error.ts";
import { describeValue } from "../util/describe-error.ts";
import { formatMetrics } from "./format-metrics.ts";
import {
  type Counter,
  type Gauge,
  type Histogram,
  HistogramSeries,
  NumberSeries,
  type Series,
} from "./instruments.ts";
import type { Labels, MetricFamily } from "./metric-family.ts";

/** A metric's declaration. Names are upstream's where upstream has the metric. */
export interface MetricOptions<L extends string = never> {
  readonly name: string;
  /** One sentence. */
  readonly help: string;
  /** Names of labels. Default: none. */
  readonly labels?: readonly L[];
}

export interface HistogramOptions<L extends string = never> extends MetricOptions<L> {
  /** Upper bounds, ascending. Default: Prometheus' own, 5 ms to 10 s. */
  readonly buckets?: readonly number[];
}

/** The series of one metric, by label values. */
export interface MetricSet<L extends string, M> {
  /** The series of these values, the same object each time; it is read from now on. */
  with(labels: Readonly<Record<L, string>>): M;
  /** Drops all series with these values. */
  remove(labels: Partial<Readonly<Record<L, string>>>): void;
}

/** A set of metrics. */
export interface Metrics {
  /**
   * Declares a metric. The same declaration again returns the same metric.
   * @throws ERR_METRIC for a name or label that Prometheus does not take, and for a name that is
   * declared otherwise
   */
  counter<L extends string = never>(options: MetricOptions<L>): MetricSet<L, Counter>;
  /** As {@link Metrics.counter}. */
  gauge<L extends string = never>(options: MetricOptions<L>): MetricSet<L, Gauge>;
  /** As {@link Metrics.counter}. */
  histogram<L extends string = never>(options: HistogramOptions<L>): MetricSet<L, Histogram>;
  /** Computes families whenever metrics are read. Families of one name are joined. */
  collect(families: () => readonly MetricFamily[]): { remove(): void };
  /** All metrics, as values. */
  families(): readonly MetricFamily[];
  /** All metrics in Prometheus' text format. */
  text(): string;
}

/** Creates an empty set. */
export function createMetrics(): Metrics {
  const declared = new Map<string, Declared>();
  const collectors = new Set<() => readonly MetricFamily[]>();
  const declare = (
    type: MetricFamily["type"],
    options: HistogramOptions<string>,
    create: () => Series,
  ): any => {
    const metric = new Declared(type, options, create);
    const before = declared.get(options.name);
    if (before && before.shape !== metric.shape) throw declaredOtherwise(before, metric);
    if (!before) declared.set(options.name, metric);
    return before ?? metric;
  };
  const families = (): readonly MetricFamily[] =>
    joinFamilies([
      ...Array.from(declared.values(), (metric) => metric.family()),
      ...Array.from(collectors).flatMap((collect) => collect()),
    ]);
  return {
    counter: (options) => declare("counter", options, () => new NumberSeries()),
    gauge: (options) => declare("gauge", options, () => new NumberSeries()),
    histogram(options) {
      const { buckets = defaultBuckets } = options;
      return declare("histogram", { ...options, buckets }, () => new HistogramSeries(buckets));
    },
    collect(families) {
      const one = (): readonly MetricFamily[] => families();
      collectors.add(one);
      return { remove: () => void collectors.delete(one) };
    },
    families,
    text: () => formatMetrics(families()),
  };
}

/** Prometheus' own (prometheus.DefBuckets). */
const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A declared metric. */
class Declared implements MetricSet<string, unknown> {
  readonly shape: string;
  readonly #type: MetricFamily["type"];
  readonly #options: MetricOptions<string>;
  readonly #labels: readonly string[];
  readonly #create: () => Series;
  /** By the JSON text of their label values. */
  readonly #series = new Map<string, { readonly labels: Labels; readonly series: Series }>();

  constructor(type: MetricFamily["type"], options: HistogramOptions<string>, create: () => Series) {
    const { name, labels = [], buckets = [] } = options;
    const wrong = [name, ...labels].find((one) => !metricName.test(one));
    if (wrong !== undefined || labels.includes("le")) throw invalidName(options, wrong ?? "le");
    this.shape = `${type} with labels ${JSON.stringify(labels)}${buckets.length > 0 ? ` and buckets ${buckets.join(" ")}` : ""}`;
    this.#type = type;
    this.#options = options;
    this.#labels = labels;
    this.#create = create;
  }

  get name(): string {
    return this.#options.name;
  }

  with(labels: Labels): unknown {
    const values = this.#labels.map((name) => String(labels[name] ?? ""));
    const id = values.length === 1 ? values[0]! : JSON.stringify(values);
    const found = this.#series.get(id);
    if (found) return found.series;
    const named = Object.fromEntries(this.#labels.map((name, i) => [name, values[i]!]));
    const series = this.#create();
    this.#series.set(id, { labels: named, series });
    return series;
  }

  remove(labels: Partial<Labels>): void {
    const asked = Object.entries(labels);
    for (const [id, { labels: own }] of this.#series)
      if (asked.every(([name, value]) => own[name] === value)) this.#series.delete(id);
  }

  family(): MetricFamily {
    const { name, help } = this.#options;
    const sorted = [...this.#series.values()].toSorted((a, b) => compareLabels(a.labels, b.labels));
    const samples = sorted.flatMap(({ labels, series }) => series.samples(labels));
    return { name, help, type: this.#type, samples };
  }
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

function compareLabels(a: Labels, b: Labels): number {
  for (const name of Object.keys(a).toSorted())
    if (a[name] !== b[name]) return a[name]! < b[name]! ? -1 : 1;
  return 0;
}

function joinFamilies(families: readonly MetricFamily[]): readonly MetricFamily[] {
  const byName = new Map<string, MetricFamily>();
  for (const family of families) {
    const before = byName.get(family.name);
    const samples = before ? [...before.samples, ...family.samples] : family.samples;
    byName.set(family.name, before ? { ...before, samples } : family);
  }
  return [...byName.values()];
}

function invalidName({ name }: MetricOptions<string>, wrong: string): HomeostatError {
  return new HomeostatError(
    "ERR_METRIC",
    `declaring the metric ${describeValue(name)}: ${describeValue(wrong)} is no name that Prometheus takes here, expected letters, digits and underscores${wrong === "le" ? "; le is the label of buckets" : ""}`,
    { hint: "rename it" },
  );
}

function declaredOtherwise(before: Declared, now: Declared): HomeostatError {
  return new HomeostatError(
    "ERR_METRIC",
    `declaring the metric "${now.name}": expected a ${before.shape}, as before, not a ${now.shape}`,
    { hint: "declare a metric once, or twice alike" },
  );
}
