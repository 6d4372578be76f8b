// The informers of several namespaces, one for each kind and namespace, so that rights in these
// namespaces suffice. A namespace becomes visible for all kinds at once when all of its caches have
// synced: a reconcile never sees an object without its children.
import type { Kind } from "../../api/kind.ts";
import type { Cache, Informer, InformerLease } from "../../cache/index.ts";
import { informerId } from "./informer-id.ts";
import { UnionInformer } from "./union-informer.ts";

interface OpenNamespace {
  readonly leases: Map<UnionInformer, InformerLease>;
  /** Aborts when the namespace is closed. */
  readonly closing: AbortController;
  isVisible: boolean;
}

/** Namespaces that open and close while informers are in use. */
export class NamespacedInformers {
  readonly #cache: Cache;
  readonly #unions = new Map<string, UnionInformer>();
  readonly #open = new Map<string, OpenNamespace>();

  constructor(cache: Cache) {
    this.#cache = cache;
  }

  has(namespace: string): boolean {
    return this.#open.has(namespace);
  }

  /** The objects of a kind in all open namespaces. */
  informer(kind: Kind): Informer {
    const id = informerId(kind);
    const known = this.#unions.get(id);
    if (known) return known;
    const union = new UnionInformer(kind);
    this.#unions.set(id, union);
    for (const [namespace, { leases, isVisible }] of this.#open) {
      const lease = this.#cache.acquire(kind, { namespace });
      leases.set(union, lease);
      if (isVisible) union.attach(namespace, lease.informer);
      if (isVisible) union.connect(namespace);
    }
    return union;
  }

  /** Opens a namespace that is visible at once, to be called before the caches start. */
  openNow(namespace: string): void {
    this.#show(namespace, this.#acquire(namespace));
  }

  /** Opens a namespace; resolves when it is visible or closed. */
  async open(namespace: string): Promise<void> {
    if (this.#open.has(namespace)) return;
    const opened = this.#acquire(namespace);
    const { leases, closing } = opened;
    try {
      await Promise.all(
        Array.from(leases.values(), ({ informer }) => informer.synced(closing.signal)),
      );
    } catch (error) {
      if (closing.signal.aborted) return;
      throw error;
    }
    if (!closing.signal.aborted) this.#show(namespace, opened);
  }

  /** Closes a namespace: its objects are no longer seen, and reported as deleted. */
  close(namespace: string): void {
    const closed = this.#open.get(namespace);
    if (!closed) return;
    this.#open.delete(namespace);
    closed.closing.abort();
    const unions = [...closed.leases.keys()];
    const reports = unions.map((union) => union.detach(namespace));
    for (const report of reports) report();
    for (const lease of closed.leases.values()) lease.release();
  }

  closeAll(): void {
    for (const { leases, closing } of this.#open.values()) {
      closing.abort();
      for (const lease of leases.values()) lease.release();
    }
    this.#open.clear();
  }

  #acquire(namespace: string): OpenNamespace {
    const leases = new Map<UnionInformer, InformerLease>();
    for (const union of this.#unions.values())
      leases.set(union, this.#cache.acquire(union.kind, { namespace }));
    const opened = { leases, closing: new AbortController(), isVisible: false };
    this.#open.set(namespace, opened);
    return opened;
  }

  #show(namespace: string, opened: OpenNamespace): void {
    opened.isVisible = true;
    for (const [union, { informer }] of opened.leases) union.attach(namespace, informer);
    for (const union of opened.leases.keys()) union.connect(namespace);
  }
}
