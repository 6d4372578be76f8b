// The garbage collector: watches every deletable kind, keeps the graph of owners, and works off what the graph proposes.
// Stands on client, cache and queue rather than on reconcilers, because its subject is a graph and not a kind.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/garbagecollector.go.
import type { CachedObject, InformerLease } from "homeostat/cache";
import type { DiscoveredKind } from "homeostat/client";
import { createWorkQueue, type WorkQueue } from "homeostat/queue";
import type { RunningSimulator, Simulator, SimulatorContext } from "../simulator.ts";
import { collectObject } from "./collect-object.ts";
import { type GraphObject, type GraphWork, orphanFinalizer, OwnerGraph } from "./graph.machine.ts";
import { type LiveObject, LiveObjects, UnknownKindError } from "./live-objects.ts";

/** Workers of each queue; upstream's default is 20 (`--concurrent-gc-syncs`), which one process need not have. */
const workers = 4;

/** `garbagecollector`, as kube-controller-manager calls it. */
export const garbageCollector: Simulator = {
  name: "garbagecollector",
  byDefault: true,
  async start(context) {
    const collector = new Collector(context);
    await collector.start();
    return collector;
  },
};

class Collector implements RunningSimulator {
  readonly #context: SimulatorContext;
  readonly #graph = new OwnerGraph();
  readonly #live: LiveObjects;
  readonly #collect: WorkQueue;
  readonly #orphan: WorkQueue;
  readonly #watched = new Map<string, { readonly lease: InformerLease; readonly handler: { remove(): void } }>();
  readonly #running: Promise<void>[] = [];
  #kindsChanged: { remove(): void } | undefined;
  #following: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(context: SimulatorContext) {
    this.#context = context;
    this.#live = new LiveObjects(context.client, context.kinds);
    this.#collect = createWorkQueue({ runtime: context.runtime });
    this.#orphan = createWorkQueue({ runtime: context.runtime });
  }

  async start(): Promise<void> {
    this.#kindsChanged = this.#context.kinds.changed(() => this.#follow());
    this.#follow();
    await this.#following;
    await Promise.all([...this.#watched.values()].map(({ lease }) => lease.informer.synced()));
    for (const uid of this.#graph.suspects()) this.#collect.add(uid);
    for (let i = 0; i < workers; i++) this.#running.push(this.#work(this.#collect, (uid) => this.#collectOne(uid)), this.#work(this.#orphan, (uid) => this.#orphanOne(uid)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#kindsChanged?.remove();
    for (const id of [...this.#watched.keys()]) this.#unwatch(id);
    await Promise.all([this.#collect.shutDown(), this.#orphan.shutDown()]);
    await Promise.all(this.#running);
  }

  /** Brings the watches in line with the kinds served; one pass at a time. */
  #follow(): void {
    this.#following = this.#following
      .then(async () => {
        if (this.#stopped) return;
        const kinds = await this.#context.kinds.collectable();
        const ids = new Set(kinds.map(idOf));
        for (const id of [...this.#watched.keys()]) if (!ids.has(id)) this.#unwatch(id);
        for (const kind of kinds) if (!this.#watched.has(idOf(kind))) this.#watch(kind);
      })
      .catch((error: unknown) => this.#context.warn("the garbage collector could not find out which kinds are served", error));
  }

  #watch(kind: DiscoveredKind): void {
    const lease = this.#context.cache.acquire(kind);
    const observe = (object: CachedObject): void => this.#take(this.#graph.observe(toGraphObject(kind, object)));
    const handler = lease.informer.addHandler({
      added: observe,
      updated: (_, object) => observe(object),
      deleted: (object) => this.#take(this.#graph.forget(object.uid)),
    });
    this.#watched.set(idOf(kind), { lease, handler });
  }

  #unwatch(id: string): void {
    const watched = this.#watched.get(id);
    this.#watched.delete(id);
    watched?.handler.remove();
    watched?.lease.release();
  }

  #take({ collect, orphan }: GraphWork): void {
    for (const uid of collect) this.#collect.add(uid);
    for (const uid of orphan) this.#orphan.add(uid);
  }

  async #work(queue: WorkQueue, run: (uid: string) => Promise<void>): Promise<void> {
    for (let item = await queue.get(); item; item = await queue.get()) {
      const { key } = item;
      try {
        await run(key);
        queue.forget(key);
      } catch (error) {
        if (!this.#stopped) queue.addRateLimited(key);
        if (!(error instanceof UnknownKindError) && item.failures > 5) this.#context.warn(`the garbage collector keeps failing on ${key}`, error);
      }
      queue.done(key);
    }
  }

  async #collectOne(uid: string): Promise<void> {
    const node = this.#graph.node(uid);
    if (!node) return;
    const { gone, look } = await collectObject(node, this.#graph, this.#live);
    if (gone) this.#take(this.#graph.forget(uid));
    for (const other of look ?? []) this.#collect.add(other);
  }

  /** Frees the dependents of an owner that is going, then lets the owner go. */
  async #orphanOne(uid: string): Promise<void> {
    const node = this.#graph.node(uid);
    if (!node) return;
    for (const dependent of node.dependents) {
      const object = this.#graph.node(dependent)?.object;
      const latest = object && (await this.#live.find(object));
      if (latest?.metadata.uid === dependent && latest.metadata.ownerReferences?.some((reference) => reference.uid === uid)) await this.#live.removeOwners(latest, new Set([uid]));
    }
    await this.#live.removeFinalizer(node.object, orphanFinalizer);
  }
}

const idOf = (kind: DiscoveredKind): string => `${kind.apiVersion}/${kind.resource}`;

function toGraphObject(kind: DiscoveredKind, object: CachedObject): GraphObject {
  const { apiVersion, kind: name } = kind;
  const plain = { apiVersion, kind: name, name: object.name, namespace: object.namespace, uid: object.uid, deleting: object.deleting };
  if (object.ownerUids.length === 0 && !object.deleting) return { ...plain, owners: [], finalizers: [] };
  const { metadata } = object.read() as LiveObject;
  const owners = (metadata.ownerReferences ?? []).map((reference) => ({ apiVersion: reference.apiVersion, kind: reference.kind, name: reference.name, uid: reference.uid, blocking: reference.blockOwnerDeletion === true }));
  return { ...plain, owners, finalizers: metadata.finalizers ?? [] };
}
