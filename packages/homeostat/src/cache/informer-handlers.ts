// What follows an informer: handlers of its changes, and listeners to its freshness. An error that
// one of them throws is reported, and stops no other.
import type { CachedObject, Freshness, HandlerCause, InformerHandler } from "./informer.ts";
import type { StoreChange } from "./indexer.ts";

/** The handlers and listeners of one informer. */
export class InformerHandlers {
  readonly #onError: (error: unknown, key?: string) => void;
  readonly #handlers = new Set<InformerHandler>();
  readonly #listeners = new Set<(freshness: Freshness) => void>();
  #lastFreshness = "";

  /** `onError` receives what they throw, with the key of the object. */
  constructor(onError: (error: unknown, key?: string) => void) {
    this.#onError = onError;
  }

  /** Adds a handler, which hears of the objects `present` at once. */
  add(handler: InformerHandler, present: Iterable<CachedObject>): { remove(): void } {
    this.#handlers.add(handler);
    for (const entry of present)
      this.#call(() => handler.added?.(entry, { through: "initial", ownWrite: false }), entry.key);
    return { remove: () => void this.#handlers.delete(handler) };
  }

  listen(listener: (freshness: Freshness) => void): { remove(): void } {
    this.#listeners.add(listener);
    return { remove: () => void this.#listeners.delete(listener) };
  }

  /** Reports the replacement by another object of the same name as deletion and addition. */
  notify({ old, entry }: StoreChange, cause: HandlerCause): void {
    for (const handler of this.#handlers) {
      this.#call(
        () => {
          if (!entry) return old && handler.deleted?.(old, cause);
          if (old && old.uid === entry.uid) return handler.updated?.(old, entry, cause);
          if (old) handler.deleted?.(old, cause);
          handler.added?.(entry, cause);
        },
        (entry ?? old)?.key,
      );
    }
  }

  /** Readiness, phase or reason may have changed; only changes are passed on. */
  freshnessChanged(freshness: Freshness): void {
    const summary = `${freshness.ready} ${freshness.phase} ${freshness.lastError ?? ""}`;
    if (summary === this.#lastFreshness) return;
    this.#lastFreshness = summary;
    for (const listener of this.#listeners) this.#call(() => listener(freshness));
  }

  #call(run: () => void, key?: string): void {
    try {
      run();
    } catch (error) {
      this.#onError(error, key);
    }
  }
}
