// The garbage collector's eyes: one watch for every kind that can be deleted, kept in line with the
// kinds served.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/graph_builder.go (syncMonitors,
// DefaultIgnoredResources).
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import type { CachedObject, InformerLease } from "homeostat/cache";
import type { DiscoveredKind } from "homeostat/client";
import type { ControllerContext } from "../../component-helpers/controller/controller.ts";
import type { GraphObject } from "./graph.machine.ts";

/** Told of every change, in order per kind. */
export interface OwnerWatchHandlers {
  observed(object: GraphObject): void;
  gone(uid: string): void;
  /** Kinds have come or gone, and the watches follow them. */
  kindsChanged(): void;
}

interface Watched {
  readonly lease: InformerLease;
  readonly handler: { remove(): void };
  /** A kind that cannot be listed must not hold up all others for ever. */
  readonly patience: AbortController;
}

/** How long to wait for a kind that cannot be listed (upstream's initial sync timeout). */
const patienceMs = 30_000;
/** How soon the kinds served are asked for again after a failure (upstream: 30 s). */
const retryMs = 5_000;
/** Groups of events, which upstream does not look at. */
const eventGroups = new Set(["", "events.k8s.io"]);

/** Watches at once, and until `stop()`. */
export class OwnerWatch {
  readonly #context: ControllerContext;
  readonly #handlers: OwnerWatchHandlers;
  readonly #watched = new Map<string, Watched>();
  readonly #kindsChanged: { remove(): void };
  #following: Promise<void> | undefined;
  #behind = false;
  #stopped = false;
  #retry: { cancel(): void } | undefined;
  /** Counts how often the kinds served may have changed. */
  changes = 0;

  constructor(context: ControllerContext, handlers: OwnerWatchHandlers) {
    this.#context = context;
    this.#handlers = handlers;
    this.#kindsChanged = context.kinds.changed(() => {
      this.changes++;
      this.#follow();
    });
    this.#follow();
  }

  stop(): void {
    this.#stopped = true;
    this.#retry?.cancel();
    this.#kindsChanged.remove();
    for (const id of [...this.#watched.keys()]) this.#unwatch(id);
  }

  /**
   * Resolves when every kind served has been listed, has been waited for long enough, or `signal`
   * aborts.
   */
  async caughtUp(signal: AbortSignal): Promise<void> {
    while (this.#following) await this.#following;
    const late = [...this.#watched.values()].filter(
      ({ lease, patience }) => !lease.informer.hasSynced() && !patience.signal.aborted,
    );
    if (late.length === 0) return;
    await Promise.all(
      late.map(({ lease, patience }) =>
        lease.informer.synced(AbortSignal.any([signal, patience.signal])).catch(() => undefined),
      ),
    );
  }

  /**
   * Brings the watches in line with the kinds served; one pass at a time, and one more where kinds
   * changed meanwhile.
   */
  #follow(): void {
    this.#behind = true;
    this.#following ??= this.#catchUp().finally(() => {
      this.#following = undefined;
      if (this.#behind && !this.#stopped) this.#follow();
    });
  }

  async #catchUp(): Promise<void> {
    while (this.#behind && !this.#stopped) {
      this.#behind = false;
      try {
        this.#adjust(await this.#context.kinds.deletable());
        this.#handlers.kindsChanged();
      } catch (error) {
        if (this.#stopped) return;
        this.#context.warn(
          "the garbage collector could not find out which kinds are served",
          error,
        );
        this.#retry = this.#context.runtime.clock.timer(retryMs, () => this.#follow());
      }
    }
  }

  #adjust(deletable: readonly DiscoveredKind[]): void {
    if (this.#stopped) return;
    const kinds = deletable.filter(
      ({ verbs, resource, group }) =>
        verbs.includes("list") &&
        verbs.includes("watch") &&
        !(resource === "events" && eventGroups.has(group)),
    );
    const ids = new Set(kinds.map(idOf));
    for (const id of [...this.#watched.keys()]) if (!ids.has(id)) this.#unwatch(id);
    for (const kind of kinds) if (!this.#watched.has(idOf(kind))) this.#watch(kind);
  }

  #watch(kind: DiscoveredKind): void {
    const lease = this.#context.cache.acquire(kind, { metadataOnly: true });
    const patience = new AbortController();
    const timer = this.#context.runtime.clock.timer(patienceMs, () => patience.abort());
    const observe = (object: CachedObject): void =>
      this.#handlers.observed(toGraphObject(kind, object));
    const handler = lease.informer.addHandler({
      added: observe,
      updated: (_, object) => observe(object),
      deleted: (object) => this.#handlers.gone(object.uid),
    });
    lease.informer.synced(patience.signal).then(
      () => timer.cancel(),
      () => timer.cancel(),
    );
    this.#watched.set(idOf(kind), { lease, handler, patience });
  }

  #unwatch(id: string): void {
    const watched = this.#watched.get(id);
    this.#watched.delete(id);
    watched?.handler.remove();
    watched?.lease.release();
    watched?.patience.abort();
  }
}

/** Shared by the many. */
const none: readonly never[] = [];

const idOf = (kind: DiscoveredKind): string => `${kind.apiVersion}/${kind.resource}`;

/** Most objects neither have owners nor are going; these need not be parsed. */
function toGraphObject(
  { apiVersion, kind }: DiscoveredKind,
  object: CachedObject<ApiObject>,
): GraphObject {
  const plain = {
    apiVersion,
    kind,
    name: object.name,
    namespace: object.namespace,
    uid: object.uid,
    deleting: object.deleting,
  };
  if (object.ownerUids.length === 0 && !object.deleting)
    return { ...plain, owners: none, finalizers: none };
  const { metadata } = object.read();
  const owners = (metadata.ownerReferences ?? []).map((reference) => ({
    apiVersion: reference.apiVersion,
    kind: reference.kind,
    name: reference.name,
    uid: reference.uid,
    blocking: reference.blockOwnerDeletion === true,
  }));
  return { ...plain, owners, finalizers: metadata.finalizers ?? [] };
}
