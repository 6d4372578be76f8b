// The queue of a shard: it has no keys but those of this process, and a key that is lost leaves it.
// What is added for others' keys is dropped, because who gains a key reconciles it anew.
import type { QueueItem, WorkQueue } from "../../queue/workqueue.ts";
import type { KeyShards } from "./key-shards.ts";

/** The queue, as far as keys are this process's; each key that is handed out counts as work. */
export function shardQueue(queue: WorkQueue, shards: KeyShards): WorkQueue {
  return {
    ...queue,
    add(key, options) {
      if (shards.has(key)) queue.add(key, options);
    },
    addRateLimited: (key, options) => (shards.has(key) ? queue.addRateLimited(key, options) : 0),
    ignore(key, cause) {
      if (shards.has(key)) queue.ignore(key, cause);
    },
    get: (signal) => nextOwn(queue, shards, signal),
    done(key) {
      queue.done(key);
      if (!shards.has(key)) queue.discard(key);
      shards.end(key);
    },
  };
}

/** A key may be lost between its turn and the worker that takes it. */
async function nextOwn(
  queue: WorkQueue,
  shards: KeyShards,
  signal: AbortSignal | undefined,
): Promise<QueueItem | undefined> {
  for (;;) {
    const item = await queue.get(signal);
    if (!item || shards.begin(item.key)) return item;
    queue.done(item.key);
    queue.discard(item.key);
  }
}
