// Wakes those who wait for objects to go: namespaces that still hold something, by watching the
// kinds of what they hold.
// Upstream looks again after half of an estimate, about eight seconds; whoever waits for a
// namespace would notice.
import type { Cache } from "homeostat/cache";
import type { DiscoveredKind } from "homeostat/client";

/** Many objects that go together are one occasion. */
const goneMs = 10;
/** A watch that shows nothing left either lags behind or was too late to see the end. */
const unseenMs = 500;

/** Watches for the end of objects, per namespace. */
export class RemainingObjects {
  readonly #cache: Cache;
  readonly #wake: (namespace: string, afterMs: number) => void;
  readonly #watching = new Map<string, () => void>();

  constructor(cache: Cache, wake: (namespace: string, afterMs: number) => void) {
    this.#cache = cache;
    this.#wake = wake;
  }

  /**
   * Calls back when an object of these kinds goes from the namespace; replaces what was watched for
   * it before.
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
        deleted: (object) => void (object.namespace === namespace && this.#wake(namespace, goneMs)),
      });
      const look = (): void =>
        void (informer.entries({ namespace }).length === 0 && this.#wake(namespace, unseenMs));
      informer.synced(ended.signal).then(look, () => undefined);
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
