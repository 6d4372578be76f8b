// Events are forgotten an hour after they were last written, as upstream's etcd leases do it: a
// watch sees them deleted. After a restart the time of all begins anew, for when they were written
// is not kept.
// Upstream: k8s.io/kubernetes/pkg/registry/core/event/storage (TTLFunc), cmd/kube-apiserver
// `--event-ttl`.
import type { CoreServices } from "../registry/scope/core-services.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { storagePrefixOf } from "../registry/revisions/storage-key.ts";
import { commitRemoval } from "../registry/store/commit.ts";
import type { Timer } from "homeostat/runtime";

/** Upstream's `--event-ttl`. */
export const eventTtlMs = 3_600_000;

type Warn = (message: string, error: unknown) => void;

/** Lets Events expire; 0 never. Returns what ends it. */
export function expireEvents(
  core: CoreServices,
  ttlMs: number = eventTtlMs,
  warn?: Warn,
): () => void {
  const resource = core.catalog.find("", "v1", "events");
  if (!resource || ttlMs <= 0) return () => {};
  const expiry = new Expiry(core, resource, ttlMs, warn);
  return () => expiry.stop();
}

class Expiry {
  readonly #core: CoreServices;
  readonly #resource: ServedResource;
  readonly #ttlMs: number;
  readonly #warn: Warn | undefined;
  /** When each is due, by key; what was written last comes last. */
  readonly #due = new Map<string, number>();
  readonly #watch: { stop(): void } | undefined;
  #timer: Timer | undefined;

  constructor(core: CoreServices, resource: ServedResource, ttlMs: number, warn: Warn | undefined) {
    this.#core = core;
    this.#resource = resource;
    this.#ttlMs = ttlMs;
    this.#warn = warn;
    const prefix = storagePrefixOf(resource, "");
    const there = core.store.list(prefix);
    if (typeof there === "object") for (const { key } of there.items) this.#written(key);
    const watch = core.store.since(prefix, core.store.revision(), ({ key, type }) => {
      this.#due.delete(key);
      if (type !== "DELETED") this.#written(key);
    });
    this.#watch = typeof watch === "object" ? watch : undefined;
  }

  stop(): void {
    this.#watch?.stop();
    this.#timer?.cancel();
    this.#due.clear();
  }

  #written(key: string): void {
    this.#due.set(key, this.#core.runtime.clock.monotonic() + this.#ttlMs);
    this.#timer ??= this.#core.runtime.clock.timer(this.#ttlMs, () => void this.#expire());
  }

  /** Removes what is due; one timer, for the first of the rest. */
  async #expire(): Promise<void> {
    const now = this.#core.runtime.clock.monotonic();
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
        : this.#core.runtime.clock.timer(next - now, () => void this.#expire());
    await Promise.all(expired.map((key) => this.#remove(key)));
  }

  /**
   * An Event that is written at this very moment, or cannot be removed now, has its time before it
   * again.
   */
  async #remove(key: string): Promise<void> {
    const revision = this.#core.store.latest(key);
    if (!revision) return;
    const outcome = await commitRemoval(
      { core: this.#core, resource: this.#resource },
      revision,
    ).catch((error: unknown) => {
      this.#warn?.(`forget the Event ${key}: it stays for another ${this.#ttlMs / 1000} s`, error);
      return "failed" as const;
    });
    if (outcome === "failed" && this.#core.store.latest(key)) this.#written(key);
  }
}
