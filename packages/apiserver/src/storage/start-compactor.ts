// Forgets history as time goes by: what was the newest revision one interval ago can be read no
// more. So a page of a list can be followed by the next for five to ten minutes, however quiet or
// busy the server is. Watches may begin further back while little has happened since, as upstream's
// do from their own cache.
// Upstream: k8s.io/apiserver/pkg/storage/etcd3/compact.go;
// k8s.io/apiserver/pkg/storage/cacher/watch_cache.go.
import type { Clock } from "homeostat/runtime";
import type { Store } from "./store.ts";

/** Upstream's `--etcd-compaction-interval`. */
export const compactionIntervalMs = 300_000;

/**
 * Changes that watches can go back, however old; upstream's cache holds at least a hundred of each
 * kind.
 */
const watchableChanges = 1000;

/** Compacts `store` every `everyMs`; 0 never. Returns what ends it. */
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
