// The frame of a controller that processes keys: informers add keys to a queue, and workers process
// them once every informer has synced. Controllers with state extend it: their fields acquire
// informers, their constructors follow them and start. Knows no kind.
// Upstream: the shape that every controller under k8s.io/kubernetes/pkg/controller repeats.
import { createEventRecorder, type EventRecorder } from "homeostat/events";
import { once } from "node:events";
import type { Kind, ObjectOf } from "homeostat/api";
import type { CachedObject, IndexFunction, Informer, InformerHandler } from "homeostat/cache";
import { createKeyedWorkers, type KeyedWorkers, type SyncKey } from "homeostat/queue";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import type { ControllerContext, RunningController } from "./controller.ts";

/** Upstream's default is 5 for most controllers; all of ours share one process. */
const workers = 4;
const maxBackoffMs = 60_000;

export interface KeyedControllerOptions {
  /** The first retry delay of a key that fails. */
  readonly firstRetryMs?: number;
}

/** Index functions by the names of their indexes. */
type Indexes<K extends Kind> = Readonly<Record<string, IndexFunction<ObjectOf<K>>>>;

/** A queue, its informers and its workers. Acquire and follow first, then start. */
export class KeyedController implements RunningController {
  protected readonly context: ControllerContext;
  readonly #name: string;
  readonly #workers: KeyedWorkers;
  readonly #stopping = new AbortController();
  readonly #informers: Informer[] = [];
  readonly #release: (() => void | Promise<void>)[] = [];

  /** `name` appears in warnings, e.g. `the deployment controller`. */
  constructor(
    context: ControllerContext,
    name: string,
    { firstRetryMs = 5 }: KeyedControllerOptions = {},
  ) {
    this.context = context;
    this.#name = name;
    this.#workers = createKeyedWorkers({
      runtime: context.runtime,
      workers,
      backoff: { firstMs: firstRetryMs, maxMs: maxBackoffMs },
      failing: (key, error) =>
        context.warn(`${name} keeps failing on ${key}: ${reasonOf(error)}`, error),
    });
  }

  /** Aborts when the controller stops. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The shared informer of a kind, held until the controller stops, with these indexes. */
  acquire<K extends Kind>(kind: K, indexes: Indexes<K> = {}): Informer<K> {
    const { informer, release } = this.#hold(kind);
    this.#release.push(release);
    this.#informers.push(informer);
    for (const [name, index] of Object.entries(indexes)) informer.addIndex(name, index);
    return informer;
  }

  /** Follows an informer until the controller stops. */
  follow<K extends Kind>(informer: Informer<K>, handler: InformerHandler): void {
    const { remove } = informer.addHandler(handler);
    this.#release.unshift(remove);
  }

  /** Adds the key of every object that is added, updated or deleted. */
  followKeys<K extends Kind>(informer: Informer<K>): void {
    const add = ({ key }: CachedObject): void => this.add(key);
    this.follow(informer, { added: add, updated: (_, object) => add(object), deleted: add });
  }

  /**
   * A recorder of core/v1 Events, as upstream's controllers write them, closed when the controller
   * stops. `component` is the source, e.g. `deployment-controller`.
   */
  createRecorder(component: string, client = this.context.client): EventRecorder {
    const { runtime } = this.context;
    const recorder = createEventRecorder({ client, runtime, controller: component, api: "v1" });
    this.onStop(() => recorder.close());
    return recorder;
  }

  /** Runs `end` when the controller stops, after its workers. */
  onStop(end: () => Promise<void>): void {
    this.#release.push(end);
  }

  add(key: string, afterMs?: number): void {
    this.#workers.add(key, afterMs);
  }

  start(work: SyncKey): this {
    this.#workers.start(work, this.#ready());
    return this;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#workers.stop();
    for (const release of this.#release.splice(0)) await release();
  }

  #hold<K extends Kind>(kind: K): { readonly informer: Informer<K>; readonly release: () => void } {
    const lease = this.context.cache.acquire(kind);
    return { informer: lease.informer, release: () => lease.release() };
  }

  /** Resolves once every informer has synced, or when the controller stops. */
  async #ready(): Promise<void> {
    const { signal } = this;
    try {
      await Promise.all(this.#informers.map((informer) => informer.synced(signal)));
    } catch (error) {
      if (signal.aborted) return;
      // A controller that sees only some of its kinds would delete what it does not see.
      const reason = reasonOf(error);
      this.context.warn(
        `${this.#name} does not start: its informers cannot list: ${reason}`,
        error,
      );
      await once(signal, "abort");
    }
  }
}
