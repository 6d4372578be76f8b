// Compacts the store periodically: up to the revision that was the newest one interval ago. So a
// list can be continued for five to ten minutes, whatever the load. Watches may start further back
// while few changes have happened, as upstream's do from the watch cache.
// Upstream: k8s.io/apiserver/pkg/storage/etcd3/compact.go;
// k8s.io/apiserver/pkg/storage/cacher/watch_cache.go.
import type { Clock } from "homeostat/runtime";
import type { Store } from "./store.ts";

/** Upstream's `--etcd-compaction-interval`. */
export const compactionIntervalMs = 300_000;

/**
 * Number of changes that watches can start before, whatever their age; upstream's watch cache holds
 * at least a hundred of each kind.
 */
const watchableChanges = 1000;

/** Compacts `store` every `everyMs`; never if 0. Returns a function that stops it. */
export function startCompactor(
  store: Store,
  clock: Clock,
  everyMs: number = compactionIntervalMs,
): () => void {
  if (everyMs <= 0) return () => {};
  let before = 0;
  const compact = (): void => {
    if (before > 0) store.compact(before, { watchable: watchableChanges });
    before = store.revision();
    timer = clock.timer(everyMs, compact);
  };
  let timer = clock.timer(everyMs, compact);
  return () => timer.cancel();
}
