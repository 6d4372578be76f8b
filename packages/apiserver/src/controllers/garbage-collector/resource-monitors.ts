// One informer for every kind that can be deleted, kept in line with the kinds served.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/graph_builder.go (syncMonitors,
// DefaultIgnoredResources).
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import type { CachedObject, InformerLease } from "homeostat/cache";
import type { DiscoveredKind } from "homeostat/client";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import type { ControllerContext } from "../../component-helpers/controller/controller.ts";
import type { GraphObject } from "./graph.machine.ts";

/** Called for every change, in order per kind. */
export interface ResourceMonitorHandlers {
  observed(object: GraphObject): void;
  gone(uid: string): void;
  /** The kinds served have changed, and the monitors have followed. */
  kindsChanged(): void;
}

interface Monitor {
  readonly lease: InformerLease;
  readonly handler: { remove(): void };
  /** Aborts the wait for a kind that cannot be listed. */
  readonly patience: AbortController;
}

/** How long to wait for a kind that cannot be listed (upstream's initial sync timeout). */
const patienceMs = 30_000;
/** Delay before discovery is retried after a failure (upstream: 30 s). */
const retryMs = 5_000;
/** The groups of Event, which upstream ignores. */
const eventGroups = new Set(["", "events.k8s.io"]);

/** Starts at once and runs until `stop()`. */
export class ResourceMonitors {
  readonly #context: ControllerContext;
  readonly #handlers: ResourceMonitorHandlers;
  readonly #monitors = new Map<string, Monitor>();
  readonly #kindsChanged: { remove(): void };
  #following: Promise<void> | undefined;
  #behind = false;
  #stopped = false;
  #retry: { cancel(): void } | undefined;
  /** Counts how often the kinds served may have changed. */
  changes = 0;

  constructor(context: ControllerContext, handlers: ResourceMonitorHandlers) {
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
    for (const id of [...this.#monitors.keys()]) this.#removeMonitor(id);
  }

  /**
   * Resolves when every kind served has been listed, has been waited for long enough, or `signal`
   * aborts.
   */
  async caughtUp(signal: AbortSignal): Promise<void> {
    while (this.#following) await this.#following;
    const late = [...this.#monitors.values()].filter(
      ({ lease, patience }) => !lease.informer.hasSynced() && !patience.signal.aborted,
    );
    if (late.length === 0) return;
    await Promise.all(
      late.map(({ lease, patience }) =>
        lease.informer.synced(AbortSignal.any([signal, patience.signal])).catch(() => undefined),
      ),
    );
  }

  /** Syncs the monitors with the kinds served: one pass at a time, and another if kinds changed. */
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
          `the garbage collector could not find out which kinds are served: ${reasonOf(error)}`,
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
    for (const id of [...this.#monitors.keys()]) if (!ids.has(id)) this.#removeMonitor(id);
    for (const kind of kinds) if (!this.#monitors.has(idOf(kind))) this.#addMonitor(kind);
  }

  #addMonitor(kind: DiscoveredKind): void {
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
    this.#monitors.set(idOf(kind), { lease, handler, patience });
  }

  #removeMonitor(id: string): void {
    const monitor = this.#monitors.get(id);
    this.#monitors.delete(id);
    monitor?.handler.remove();
    monitor?.lease.release();
    monitor?.patience.abort();
  }
}

/** Shared by the many objects without owners. */
const none: readonly never[] = [];

const idOf = (kind: DiscoveredKind): string => `${kind.apiVersion}/${kind.resource}`;

/** Most objects have no owners and are not being deleted; these are not parsed. */
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
