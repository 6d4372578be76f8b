// Remembers owners that no longer exist. A thousand dependents of one owner cost one request, and
// dependents can be deleted after the kind of their owner is no longer served. A uid never comes
// back, so entries never become wrong.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/uid_cache.go (an LRU of 500).
import type { Coordinates } from "./graph.machine.ts";

const kept = 500;

/** Absent owners, the least recently used evicted first. */
export class ReferenceCache {
  readonly #known = new Set<string>();

  add(owner: Coordinates): void {
    const key = keyOf(owner);
    this.#known.delete(key);
    this.#known.add(key);
    if (this.#known.size > kept)
      for (const oldest of this.#known) return void this.#known.delete(oldest);
  }

  has(owner: Coordinates): boolean {
    const key = keyOf(owner);
    if (!this.#known.delete(key)) return false;
    this.#known.add(key);
    return true;
  }
}

const keyOf = ({ apiVersion, kind, namespace, name, uid }: Coordinates): string =>
  [apiVersion, kind, namespace, name, uid].join("\n");
