// What the informers of several namespaces report, as one.
import type { Comparison, Freshness, InformerStats } from "../../cache/index.ts";

/** Ready when all are; otherwise as the first that is not, which names its namespace. */
export function mergeFreshness(
  parts: readonly { readonly namespace: string; readonly freshness: Freshness }[],
): Freshness {
  const all = parts.map(({ freshness }) => freshness);
  const worst = parts.find(({ freshness }) => !freshness.ready);
  const contacts = all.flatMap(({ lastContact }) => lastContact ?? []);
  const first = worst?.freshness ?? all[0];
  return {
    ready: worst === undefined,
    reason: worst ? `namespace ${worst.namespace}: ${worst.freshness.reason}` : "",
    isServed: all.every(({ isServed }) => isServed),
    isAllowed: all.every(({ isAllowed }) => isAllowed),
    phase: first?.phase ?? "idle",
    synced: all.every(({ synced }) => synced),
    lastContact:
      contacts.length === all.length && all.length > 0 ? Math.min(...contacts) : undefined,
    resourceVersion: all.length === 1 ? all[0]!.resourceVersion : undefined,
    relists: sum(all, ({ relists }) => relists),
    restarts: sum(all, ({ restarts }) => restarts),
    failures: sum(all, ({ failures }) => failures),
    ...(first?.lastError === undefined ? {} : { lastError: first.lastError }),
  };
}

export function mergeStats(all: readonly InformerStats[]): InformerStats {
  return {
    objects: sum(all, ({ objects }) => objects),
    bytes: sum(all, ({ bytes }) => bytes),
    parsed: sum(all, ({ parsed }) => parsed),
    parsedBytes: sum(all, ({ parsedBytes }) => parsedBytes),
    ownWrites: sum(all, ({ ownWrites }) => ownWrites),
    skipped: sum(all, ({ skipped }) => skipped),
  };
}

/** At most ten keys of each, as for one informer. */
export function mergeComparisons(all: readonly Comparison[]): Comparison {
  return {
    conclusive: all.every(({ conclusive }) => conclusive),
    compared: sum(all, ({ compared }) => compared),
    missing: all.flatMap(({ missing }) => missing).slice(0, 10),
    extra: all.flatMap(({ extra }) => extra).slice(0, 10),
    different: all.flatMap(({ different }) => different).slice(0, 10),
  };
}

function sum<T>(all: readonly T[], valueOf: (one: T) => number): number {
  return all.reduce((total, one) => total + valueOf(one), 0);
}
