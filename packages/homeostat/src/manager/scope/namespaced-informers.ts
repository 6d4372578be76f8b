// The informers of several namespaces, one for each kind and namespace, so that rights in these
// namespaces suffice. A namespace becomes visible for all kinds at once when all of its caches have
// synced: a reconcile never sees an object without its children. Kinds that the server does not
// serve hold up no others: their objects follow when it does.
import type { Kind } from "../../api/kind.ts";
import type { Cache, Informer, InformerLease } from "../../cache/index.ts";
import { whenHeard } from "../../cache/when-heard.ts";
import { informerId } from "./informer-id.ts";
import { UnionInformer } from "./union-informer.ts";

interface OpenNamespace {
  readonly leases: Map<UnionInformer, InformerLease>;
  /** Aborts when the namespace is closed. */
  readonly closing: AbortController;
  readonly shown: PromiseWithResolvers<void>;
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

  /** Lets go of a kind whose objects are no longer read. */
  drop(kind: Kind): void {
    const id = informerId(kind);
    const union = this.#unions.get(id);
    if (!union) return;
    this.#unions.delete(id);
    for (const { leases } of this.#open.values()) {
      leases.get(union)?.release();
      leases.delete(union);
    }
  }

  /**
   * Opens a namespace. Resolves when it is visible or closed, or may not be read: it is then left
   * out until it may.
   */
  async open(namespace: string): Promise<void> {
    if (!this.#open.has(namespace)) this.#acquire(namespace);
    const opened = this.#open.get(namespace)!;
    const left = Promise.withResolvers<void>();
    const refused = (): void => {
      if (isRefused(opened)) left.resolve();
    };
    const listeners = informersOf(opened).map((informer) => informer.onFreshness(refused));
    refused();
    const shown = this.#showSynced(namespace, opened);
    await Promise.race([shown, left.promise]).finally(() =>
      listeners.forEach((listener) => listener.remove()),
    );
  }

  /** Acquires the informers of a namespace, to be opened later. */
  prepare(namespace: string): void {
    this.#acquire(namespace);
  }

  /** Resolves when the objects of an open namespace are visible. */
  async shown(namespace: string): Promise<void> {
    await this.#open.get(namespace)?.shown.promise;
  }

  /** True when an open namespace is left out, because this user may not read all of it. */
  isLeftOut(namespace: string): boolean {
    const opened = this.#open.get(namespace);
    return opened !== undefined && !opened.isVisible && isRefused(opened);
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

  async #showSynced(namespace: string, opened: OpenNamespace): Promise<void> {
    const { signal } = opened.closing;
    await whenHeard(informersOf(opened), signal);
    if (!signal.aborted && !opened.isVisible) this.#show(namespace, opened);
  }

  #acquire(namespace: string): void {
    const leases = new Map<UnionInformer, InformerLease>();
    for (const union of this.#unions.values())
      leases.set(union, this.#cache.acquire(union.kind, { namespace }));
    const closing = new AbortController();
    this.#open.set(namespace, {
      leases,
      closing,
      shown: Promise.withResolvers(),
      isVisible: false,
    });
  }

  #show(namespace: string, opened: OpenNamespace): void {
    opened.isVisible = true;
    for (const [union, { informer }] of opened.leases) union.attach(namespace, informer);
    for (const union of opened.leases.keys()) union.connect(namespace);
    opened.shown.resolve();
  }
}

const informersOf = ({ leases }: OpenNamespace): readonly Informer[] =>
  Array.from(leases.values(), ({ informer }) => informer);

/** Whether a first list was refused to this user. */
function isRefused(opened: OpenNamespace): boolean {
  return informersOf(opened).some(
    (informer) => !informer.hasSynced() && !informer.freshness().isAllowed,
  );
}
