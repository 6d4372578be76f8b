// How fresh the caches are and what they hold, by kind: the informers of several namespaces are
// one series, so that the number of series does not grow with namespaces. Which namespace is
// behind is said by readiness and introspection.
import { parseApiVersion } from "../../api/gvk.ts";
import { isFieldsKind } from "../../api/fields-kind.ts";
import type { Freshness, Informer, InformerStats } from "../../cache/index.ts";
import type { Labels, MetricFamily } from "../../metrics/index.ts";

interface Read {
  readonly stats: InformerStats;
  readonly freshness: Freshness;
}

interface Figure {
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly help: string;
  /** Undefined where it is not known. */
  value(all: readonly Read[], nowMs: number): number | undefined;
}

const figures: readonly Figure[] = [
  {
    name: "ready",
    type: "gauge",
    help: "1 while the cache of the kind is known to be fresh, 0 while it may be behind",
    value: (all) => (all.every(({ freshness }) => freshness.ready) ? 1 : 0),
  },
  {
    name: "contact_age_seconds",
    type: "gauge",
    help: "Seconds since the last event, bookmark or list of the kind; the oldest of its namespaces",
    value: (all, nowMs) => {
      const ages = all.map(({ freshness }) => nowMs - (freshness.lastContact ?? Number.NaN));
      const oldest = Math.max(...ages);
      return Number.isNaN(oldest) ? undefined : Math.max(0, oldest / 1000);
    },
  },
  {
    name: "objects",
    type: "gauge",
    help: "Number of cached objects",
    value: (all) => sum(all, ({ stats }) => stats.objects),
  },
  {
    name: "skipped_objects",
    type: "gauge",
    help: "Number of objects that reads leave out, because they do not match their definition",
    value: (all) => sum(all, ({ stats }) => stats.skipped),
  },
  {
    name: "bytes",
    type: "gauge",
    help: "Bytes of the cached objects as JSON text",
    value: (all) => sum(all, ({ stats }) => stats.bytes),
  },
  {
    name: "relists_total",
    type: "counter",
    help: "Number of lists after the first",
    value: (all) => sum(all, ({ freshness }) => freshness.relists),
  },
  {
    name: "watch_restarts_total",
    type: "counter",
    help: "Number of watches that broke or fell silent; those that ended in time do not count",
    value: (all) => sum(all, ({ freshness }) => freshness.restarts),
  },
];

/** The families of all informers at one time. */
export function informerFamilies(
  informers: readonly Informer[],
  labels: Labels,
  nowMs: number,
): MetricFamily[] {
  const byKind = Map.groupBy(informers, (informer) => JSON.stringify(labelsOf(informer)));
  const read = Array.from(byKind.values(), (all) => ({
    labels: { ...labels, ...labelsOf(all[0]!) },
    all: all.map((one): Read => ({ stats: one.stats(), freshness: one.freshness() })),
  }));
  return figures.map(({ name, type, help, value }) => ({
    name: `homeostat_informer_${name}`,
    type,
    help,
    samples: read.flatMap(({ labels: series, all }) => {
      const found = value(all, nowMs);
      return found === undefined ? [] : [{ labels: series, value: found }];
    }),
  }));
}

function labelsOf({ kind, scope }: Informer): Labels {
  const { group, version } = parseApiVersion(kind.apiVersion) ?? { group: "", version: "" };
  const part = isFieldsKind(kind) ? "fields" : "whole";
  return { group, version, kind: kind.kind, view: scope.metadataOnly ? "metadata" : part };
}

function sum<T>(all: readonly T[], valueOf: (one: T) => number): number {
  return all.reduce((total, one) => total + valueOf(one), 0);
}
