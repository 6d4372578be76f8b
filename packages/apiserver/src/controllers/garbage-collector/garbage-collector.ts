// The garbage collector: monitors every deletable kind, keeps the graph of owners, and processes
// what the graph proposes. Stands on client, cache and queue rather than on reconcilers, because
// its subject is a graph and not a kind.
// Upstream rediscovers kinds every 30 s and retries objects of unknown kinds; here both wait for
// the definitions to change.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/garbagecollector.go.
import { createKeyedWorkers, type KeyedWorkers } from "homeostat/queue";
import { createEventRecorder, type EventRecorder } from "homeostat/events";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { ReferenceCache } from "./reference-cache.ts";
import { attemptToDelete } from "./attempt-to-delete.ts";
import { type GraphWork, type Misplaced, orphanFinalizer, OwnerGraph } from "./graph.machine.ts";
import { LiveObjects, UnknownKindError } from "./live-objects.ts";
import { ResourceMonitors } from "./resource-monitors.ts";

/**
 * Workers of each queue; upstream's default is 20 (`--concurrent-gc-syncs`), which one process does
 * not need.
 */
const workers = 4;

/** Starts `garbagecollector`. */
export const start: Start = async (context) => new GarbageCollector(context);

class GarbageCollector {
  readonly #graph = new OwnerGraph();
  readonly #absentOwners = new ReferenceCache();
  readonly #live: LiveObjects;
  readonly #monitors: ResourceMonitors;
  /** Uids of objects that may have to be deleted. */
  readonly #attemptToDelete: KeyedWorkers;
  /** Uids of owners whose dependents are to be orphaned. */
  readonly #attemptToOrphan: KeyedWorkers;
  readonly #recorder: EventRecorder;
  readonly #stopping = new AbortController();
  /** Objects that cannot be judged before the kinds served change. */
  readonly #parked = new Set<string>();
  /** False until every kind has been listed: the gaps of the graph mean nothing before. */
  #isGraphComplete = false;

  constructor(context: ControllerContext) {
    const { client, kinds, runtime } = context;
    this.#live = new LiveObjects(client, kinds);
    this.#recorder = createEventRecorder({
      client,
      runtime,
      controller: "garbage-collector-controller",
      api: "v1",
    });
    const failing = (uid: string, error: unknown): void =>
      context.warn(`the garbage collector keeps failing on ${uid}: ${reasonOf(error)}`, error);
    this.#attemptToDelete = createKeyedWorkers({ runtime, workers, failing });
    this.#attemptToOrphan = createKeyedWorkers({ runtime, workers, failing });
    this.#monitors = new ResourceMonitors(context, {
      observed: (object) => this.#enqueue(this.#graph.observe(object)),
      gone: (uid) => this.#forget(uid),
      kindsChanged: () => this.#unpark(),
    });
    const ready = this.#reviewGraph();
    this.#attemptToDelete.start((uid) => this.#delete(uid), ready);
    this.#attemptToOrphan.start((uid) => this.#orphan(uid), ready);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#monitors.stop();
    await Promise.all([this.#attemptToDelete.stop(), this.#attemptToOrphan.stop()]);
    await this.#recorder.close();
  }

  async #reviewGraph(): Promise<void> {
    await this.#monitors.caughtUp(this.#stopping.signal);
    this.#isGraphComplete = true;
    this.#enqueue(this.#graph.review());
  }

  #enqueue({ collect, orphan, misplaced }: GraphWork): void {
    if (!this.#isGraphComplete) return;
    for (const uid of collect) this.#attemptToDelete.add(uid);
    for (const uid of orphan) this.#attemptToOrphan.add(uid);
    for (const one of misplaced) this.#report(one);
  }

  #forget(uid: string): void {
    const node = this.#graph.node(uid);
    if (node && node.dependents.size > 0) this.#absentOwners.add(node.object);
    this.#parked.delete(uid);
    this.#enqueue(this.#graph.forget(uid));
  }

  #unpark(): void {
    for (const uid of this.#parked) this.#attemptToDelete.add(uid);
    this.#parked.clear();
  }

  /** Parks an object of an unknown kind, unless the kinds changed meanwhile. */
  async #delete(uid: string): Promise<void> {
    const { changes } = this.#monitors;
    try {
      await this.#attempt(uid);
    } catch (error) {
      if (!(error instanceof UnknownKindError) || changes !== this.#monitors.changes) throw error;
      this.#parked.add(uid);
    }
  }

  async #attempt(uid: string): Promise<void> {
    const node = this.#graph.node(uid);
    if (!node) return;
    if (node.object.deleting) await this.#monitors.caughtUp(this.#stopping.signal);
    const { gone, retry } = await attemptToDelete(node, {
      graph: this.#graph,
      live: this.#live,
      absentOwners: this.#absentOwners,
    });
    if (gone) this.#forget(uid);
    for (const other of retry ?? []) this.#attemptToDelete.add(other);
  }

  /** Takes an owner out of its dependents, then the orphan finalizer off the owner. */
  async #orphan(uid: string): Promise<void> {
    await this.#monitors.caughtUp(this.#stopping.signal);
    const node = this.#graph.node(uid);
    if (!node) return;
    const outcomes = await Promise.allSettled(
      Array.from(node.dependents, (dependent) => this.#orphanDependent(dependent, uid)),
    );
    for (const one of outcomes) if (one.status === "rejected") throw one.reason;
    await this.#live.removeFinalizer(node.object, orphanFinalizer);
  }

  async #orphanDependent(dependent: string, owner: string): Promise<void> {
    const object = this.#graph.node(dependent)?.object;
    const latest = object && (await this.#live.find(object));
    if (
      latest?.metadata.uid !== dependent ||
      !latest.metadata.ownerReferences?.some((reference) => reference.uid === owner)
    )
      return;
    await this.#live.removeOwners(latest, new Set([owner]));
  }

  #report({ dependent, reference: { apiVersion, kind, name, uid } }: Misplaced): void {
    const { namespace } = dependent;
    const object = {
      apiVersion: dependent.apiVersion,
      kind: dependent.kind,
      namespace,
      name: dependent.name,
      uid: dependent.uid,
    };
    const message = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace ${JSON.stringify(namespace)}`;
    this.#recorder.record({
      regarding: object,
      type: "Warning",
      reason: "OwnerRefInvalidNamespace",
      note: message,
    });
  }
}
