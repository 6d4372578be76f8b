// The queue of a standby: it holds what the leader works on, so that it begins at once when it
// leads. Keys without an object are dropped, because a standby may wait for months: they need no
// reconcile, and an object that appears is added again.
import type { WorkQueue } from "../queue/workqueue.ts";

/** Holds the keys of objects that exist until `release`; then it is the queue itself. */
export function holdKeys(
  queue: WorkQueue,
  isCached: (key: string) => boolean,
): { readonly held: WorkQueue; release(): void } {
  let isHeld = true;
  const held: WorkQueue = {
    ...queue,
    add(key, options) {
      if (isHeld && !isCached(key)) queue.discard(key);
      else queue.add(key, options);
    },
    ignore(key, cause) {
      if (!isHeld || isCached(key)) queue.ignore(key, cause);
    },
  };
  return { held, release: () => void (isHeld = false) };
}
