// Deletes Events an hour after their last write, as upstream's etcd leases do; watches see the
// deletion. The time of a write is not stored, so that a restart gives every Event a full hour.
// Upstream: k8s.io/kubernetes/pkg/registry/core/event/storage (TTLFunc), cmd/kube-apiserver
// `--event-ttl`.
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { storagePrefixOf } from "../registry/revisions/storage-key.ts";
import { commitRemoval } from "../registry/store/commit.ts";
import { followRevisions } from "../registry/revisions/follow-revisions.ts";
import type { Timer } from "homeostat/runtime";
import type { HookContext } from "./hook-context.ts";

/** Upstream's `--event-ttl`. */
export const eventTtlMs = 3_600_000;

/** Starts expiry; a `ttlMs` of 0 keeps Events for ever. Returns a function that stops it. */
export function startEventTtl(context: HookContext, ttlMs: number = eventTtlMs): () => void {
  const resource = context.core.catalog.find("", "v1", "events");
  if (!resource || ttlMs <= 0) return () => {};
  const expiry = new EventExpiry(context, resource, ttlMs);
  return () => expiry.stop();
}

class EventExpiry {
  readonly #context: HookContext;
  readonly #resource: ServedResource;
  readonly #ttlMs: number;
  /** When each Event is due, by key, in the order of their writes. */
  readonly #due = new Map<string, number>();
  readonly #stopFollowing: () => void;
  #timer: Timer | undefined;

  constructor(context: HookContext, resource: ServedResource, ttlMs: number) {
    this.#context = context;
    this.#resource = resource;
    this.#ttlMs = ttlMs;
    const prefix = storagePrefixOf(resource, "");
    this.#stopFollowing = followRevisions(context.core.store, prefix, ({ key, type }) => {
      this.#due.delete(key);
      if (type !== "DELETED") this.#written(key);
    });
  }

  stop(): void {
    this.#stopFollowing();
    this.#timer?.cancel();
    this.#due.clear();
  }

  #written(key: string): void {
    this.#due.set(key, this.#context.core.runtime.clock.monotonic() + this.#ttlMs);
    this.#timer ??= this.#context.core.runtime.clock.timer(this.#ttlMs, () => void this.#expire());
  }

  /** Deletes what is due. One timer waits for the next. */
  async #expire(): Promise<void> {
    const now = this.#context.core.runtime.clock.monotonic();
    const expired: string[] = [];
    for (const [key, due] of this.#due) {
      if (due > now) break;
      expired.push(key);
    }
    for (const key of expired) this.#due.delete(key);
    const [next] = this.#due.values();
    this.#timer =
      next === undefined
        ? undefined
        : this.#context.core.runtime.clock.timer(next - now, () => void this.#expire());
    await Promise.all(expired.map((key) => this.#remove(key)));
  }

  /**
   * An Event that is being written, or that the store refuses to delete, gets a full time again.
   */
  async #remove(key: string): Promise<void> {
    const revision = this.#context.core.store.latest(key);
    if (!revision) return;
    const outcome = await commitRemoval(
      { core: this.#context.core, resource: this.#resource },
      revision,
    ).catch((error: unknown) => {
      this.#context.warn?.(
        `delete the expired Event ${key}: it stays for another ${this.#ttlMs / 1000} s`,
        error,
      );
      return "failed" as const;
    });
    if (outcome === "failed" && this.#context.core.store.latest(key)) this.#written(key);
  }
}
