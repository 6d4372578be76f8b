// The garbage collector: watches every deletable kind, keeps the graph of owners, and works off
// what the graph proposes. Stands on client, cache and queue rather than on reconcilers, because
// its subject is a graph and not a kind.
// Upstream looks for new kinds every 30 s and tries objects of unknown kinds again and again; here
// both wait for the definitions to change.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/garbagecollector.go.
import { createWorkQueue, type QueueItem, type WorkQueue } from "homeostat/queue";
import {
  createSimulatorEventRecorder,
  type SimulatorEventRecorder,
} from "../../component-helpers/events/event-recorder.ts";
import type {
  RunningController,
  ControllerDescriptor,
  ControllerContext,
} from "../../component-helpers/controller/controller.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { collectObject } from "./collect-object.ts";
import { type GraphWork, type Misplaced, orphanFinalizer, OwnerGraph } from "./graph.machine.ts";
import { LiveObjects, UnknownKindError } from "./live-objects.ts";
import { OwnerWatch } from "./owner-watch.ts";

/**
 * Workers of each queue; upstream's default is 20 (`--concurrent-gc-syncs`), which one process need
 * not have.
 */
const workers = 4;
/** Failures in a row after which somebody is told, once. */
const tellAfter = 6;

/** `garbagecollector`, as kube-controller-manager calls it. */
export const garbageCollector: ControllerDescriptor = {
  name: "garbagecollector",
  aliases: ["garbage-collector-controller"],
  byDefault: true,
  start: async (context) => new Collector(context),
};

class Collector implements RunningController {
  readonly #context: ControllerContext;
  readonly #graph = new OwnerGraph();
  readonly #absent = new AbsentOwners();
  readonly #live: LiveObjects;
  readonly #watch: OwnerWatch;
  readonly #collect: WorkQueue;
  readonly #orphan: WorkQueue;
  readonly #recorder: SimulatorEventRecorder;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** Objects that cannot be judged before the kinds served change. */
  readonly #parked = new Set<string>();

  constructor(context: ControllerContext) {
    const { client, kinds, runtime } = context;
    this.#context = context;
    this.#live = new LiveObjects(client, kinds);
    this.#collect = createWorkQueue({ runtime });
    this.#orphan = createWorkQueue({ runtime });
    this.#recorder = createSimulatorEventRecorder(client, runtime, "garbage-collector-controller");
    this.#watch = new OwnerWatch(context, {
      observed: (object) => this.#take(this.#graph.observe(object)),
      gone: (uid) => this.#forget(uid),
      kindsChanged: () => this.#unpark(),
    });
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#watch.stop();
    await Promise.all([this.#collect.shutDown(), this.#orphan.shutDown()]);
    await this.#running;
    await this.#recorder.close();
  }

  async #run(): Promise<void> {
    await this.#watch.caughtUp(this.#stopping.signal);
    this.#reviewed = true;
    this.#take(this.#graph.review());
    const each = Array.from({ length: workers }, () => [
      this.#work(this.#collect, (uid) => this.#collectOne(uid)),
      this.#work(this.#orphan, (uid) => this.#orphanOne(uid)),
    ]);
    await Promise.all(each.flat());
  }

  /** Until every kind has been listed the graph is full of gaps that mean nothing. */
  #reviewed = false;

  #take({ collect, orphan, misplaced }: GraphWork): void {
    if (!this.#reviewed) return;
    for (const uid of collect) this.#collect.add(uid);
    for (const uid of orphan) this.#orphan.add(uid);
    for (const one of misplaced) this.#report(one);
  }

  #forget(uid: string): void {
    const node = this.#graph.node(uid);
    if (node && node.dependents.size > 0) this.#absent.add(node.object);
    this.#parked.delete(uid);
    this.#take(this.#graph.forget(uid));
  }

  #unpark(): void {
    for (const uid of this.#parked) this.#collect.add(uid);
    this.#parked.clear();
  }

  async #work(queue: WorkQueue, run: (uid: string) => Promise<void>): Promise<void> {
    for (let item = await queue.get(); item; item = await queue.get()) {
      if (!this.#stopping.signal.aborted) await this.#try(queue, item, run);
      queue.done(item.key);
    }
  }

  async #try(
    queue: WorkQueue,
    { key, failures }: QueueItem,
    run: (uid: string) => Promise<void>,
  ): Promise<void> {
    const { changes } = this.#watch;
    try {
      await run(key);
      queue.forget(key);
    } catch (error) {
      if (error instanceof UnknownKindError && changes === this.#watch.changes)
        return void this.#parked.add(key);
      queue.addRateLimited(key);
      if (failures === tellAfter)
        this.#context.warn(
          `the garbage collector keeps failing on the object with uid ${key}`,
          error,
        );
    }
  }

  async #collectOne(uid: string): Promise<void> {
    const node = this.#graph.node(uid);
    if (!node) return;
    if (node.object.deleting) await this.#watch.caughtUp(this.#stopping.signal);
    const { gone, look } = await collectObject(node, {
      graph: this.#graph,
      live: this.#live,
      absent: this.#absent,
    });
    if (gone) this.#forget(uid);
    for (const other of look ?? []) this.#collect.add(other);
  }

  /** Frees the dependents of an owner that is going, then lets the owner go. */
  async #orphanOne(uid: string): Promise<void> {
    await this.#watch.caughtUp(this.#stopping.signal);
    const node = this.#graph.node(uid);
    if (!node) return;
    const freed = await Promise.allSettled(
      Array.from(node.dependents, (dependent) => this.#free(dependent, uid)),
    );
    for (const one of freed) if (one.status === "rejected") throw one.reason;
    await this.#live.removeFinalizer(node.object, orphanFinalizer);
  }

  async #free(dependent: string, owner: string): Promise<void> {
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
    this.#recorder.record({ object, type: "Warning", reason: "OwnerRefInvalidNamespace", message });
  }
}
