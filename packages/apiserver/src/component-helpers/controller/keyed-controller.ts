// The frame of a controller that works on keys: informers put keys into a queue, workers take them
// out, failures come back with back-off. Work begins when every informer has seen everything. Knows
// no kind.
// Upstream: the shape that every controller under k8s.io/kubernetes/pkg/controller repeats.
import { once } from "node:events";
import type { Kind } from "homeostat/api";
import type { Informer, InformerHandler } from "homeostat/cache";
import { createWorkQueue, type WorkQueue } from "homeostat/queue";
import type { RunningController, ControllerContext } from "./controller.ts";

/** Workers of a controller; upstream's default is 5 for most, which one process need not have. */
const workers = 4;
/** Failures in a row after which somebody is told, once. */
const tellAfter = 10;
const maxBackoffMs = 60_000;

/**
 * What to do with one key; resolves to the milliseconds after which to look again, if at all.
 * Rejects to be tried again.
 */
export type KeyWork = (key: string) => Promise<number | undefined>;

/** A queue, its informers and its workers. Acquire and follow first, then start. */
export class KeyedController implements RunningController {
  readonly #context: ControllerContext;
  readonly #name: string;
  readonly #queue: WorkQueue;
  readonly #stopping = new AbortController();
  readonly #informers: Informer[] = [];
  readonly #release: (() => void | Promise<void>)[] = [];
  #running: Promise<unknown> = Promise.resolve();

  /** `name` as it stands in warnings. */
  constructor(
    context: ControllerContext,
    name: string,
    { firstRetryMs = 5 }: { readonly firstRetryMs?: number } = {},
  ) {
    this.#context = context;
    this.#name = name;
    this.#queue = createWorkQueue({
      runtime: context.runtime,
      backoff: { firstMs: firstRetryMs, maxMs: maxBackoffMs },
    });
  }

  /** Aborts when the controller is told to stop. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** The shared informer of a kind, held until the controller stops. */
  acquire<K extends Kind>(kind: K): Informer<K> {
    const { informer, release } = this.#hold(kind);
    this.#release.push(release);
    this.#informers.push(informer);
    return informer;
  }

  /** Follows an informer until the controller stops. */
  follow<K extends Kind>(informer: Informer<K>, handler: InformerHandler): void {
    const { remove } = informer.addHandler(handler);
    this.#release.unshift(remove);
  }

  /** Runs `end` when the controller stops, after its workers. */
  onStop(end: () => Promise<void>): void {
    this.#release.push(end);
  }

  add(key: string, afterMs?: number): void {
    this.#queue.add(key, afterMs === undefined ? {} : { afterMs });
  }

  start(work: KeyWork): this {
    this.#running = this.#run(work);
    return this;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#queue.shutDown();
    await this.#running;
    for (const release of this.#release.splice(0)) await release();
  }

  #hold<K extends Kind>(kind: K): { readonly informer: Informer<K>; readonly release: () => void } {
    const lease = this.#context.cache.acquire(kind);
    return { informer: lease.informer, release: () => lease.release() };
  }

  async #run(work: KeyWork): Promise<void> {
    const { signal } = this.#stopping;
    try {
      await Promise.all(this.#informers.map((informer) => informer.synced(signal)));
    } catch (error) {
      // Work on half of what there is would do harm. What waits is taken out, undone, when the end
      // comes.
      if (!signal.aborted) {
        this.#context.warn(`${this.#name} does not work: it cannot see what is there`, error);
        await once(signal, "abort");
      }
    }
    await Promise.all(Array.from({ length: workers }, () => this.#work(work)));
  }

  async #work(work: KeyWork): Promise<void> {
    for (let item = await this.#queue.get(); item; item = await this.#queue.get()) {
      const { key, failures } = item;
      try {
        const afterMs = this.signal.aborted ? undefined : await work(key);
        this.#queue.forget(key);
        if (afterMs !== undefined) this.#queue.add(key, { afterMs });
      } catch (error) {
        if (!this.signal.aborted) this.#queue.addRateLimited(key);
        if (failures === tellAfter)
          this.#context.warn(`${this.#name} keeps failing on ${key}`, error);
      }
      this.#queue.done(key);
    }
  }
}
