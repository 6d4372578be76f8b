// Enqueues a namespace when its remaining objects are deleted, by watching their kinds. Upstream
// syncs again after half of an estimate, about eight seconds, which a waiting user would notice.
import type { Cache } from "homeostat/cache";
import type { DiscoveredKind } from "homeostat/client";

/** Deletions within this time cause one sync. */
const batchMs = 10;
/** An informer that shows no objects lags behind, or started after the last deletion. */
const unseenMs = 500;

/** Watches for deletions, by namespace. */
export class RemainingObjects {
  readonly #cache: Cache;
  readonly #enqueue: (namespace: string, afterMs: number) => void;
  readonly #watching = new Map<string, () => void>();

  constructor(cache: Cache, enqueue: (namespace: string, afterMs: number) => void) {
    this.#cache = cache;
    this.#enqueue = enqueue;
  }

  /**
   * Enqueues the namespace when an object of these kinds is deleted from it. Replaces the kinds
   * watched before.
   */
  waitFor(namespace: string, kinds: readonly DiscoveredKind[]): void {
    const before = this.#watching.get(namespace);
    this.#watching.delete(namespace);
    if (kinds.length > 0) this.#watching.set(namespace, this.#watch(namespace, kinds));
    before?.();
  }

  stop(): void {
    for (const end of this.#watching.values()) end();
    this.#watching.clear();
  }

  #watch(namespace: string, kinds: readonly DiscoveredKind[]): () => void {
    const ended = new AbortController();
    const watches = kinds.map((kind) => {
      const lease = this.#cache.acquire(kind);
      const { informer } = lease;
      const handler = informer.addHandler({
        deleted: (object) =>
          void (object.namespace === namespace && this.#enqueue(namespace, batchMs)),
      });
      const enqueueIfEmpty = (): void =>
        void (informer.entries({ namespace }).length === 0 && this.#enqueue(namespace, unseenMs));
      informer.synced(ended.signal).then(enqueueIfEmpty, () => undefined);
      return { lease, handler };
    });
    return () => {
      ended.abort();
      for (const { lease, handler } of watches) {
        handler.remove();
        lease.release();
      }
    };
  }
}
