// Remembers owners that no longer exist. A thousand dependents of one owner cost one request, and
// dependents can be deleted after the kind of their owner is no longer served. A uid never comes
// back, so entries never become wrong.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/uid_cache.go (an LRU of 500).
import { LruCache } from "../../apimachinery/lru-cache.ts";
import type { Coordinates } from "./graph.machine.ts";

const kept = 500;

/** Absent owners, the least recently used evicted first. */
export class ReferenceCache {
  readonly #known = new LruCache<true>(kept);

  add(owner: Coordinates): void {
    this.#known.set(keyOf(owner), true);
  }

  has(owner: Coordinates): boolean {
    return this.#known.get(keyOf(owner)) ?? false;
  }
}

const keyOf = ({ apiVersion, kind, namespace, name, uid }: Coordinates): string =>
  [apiVersion, kind, namespace, name, uid].join("\n");
