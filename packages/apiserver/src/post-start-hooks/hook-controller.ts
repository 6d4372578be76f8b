// The frame of a controller in a post-start hook: stored objects add names to a queue, and a worker
// processes them. Knows no kind.
import { createKeyedWorkers, type KeyedWorkers, type SyncKey } from "homeostat/queue";
import { reasonOf } from "../apimachinery/errors/server-error.ts";
import type { HookContext } from "./hook-context.ts";

export interface HookControllerOptions {
  /** The delay after a failure; default one second. */
  readonly retryMs?: number;
  /** The warning about a name that keeps failing, e.g. `APIService v1.apps cannot be checked`. */
  readonly failing: (name: string) => string;
}

/** A queue of names, its worker, and what runs as long as they do. */
export class HookController {
  protected readonly context: HookContext;
  readonly #workers: KeyedWorkers;
  readonly #stops: (() => void)[] = [];

  constructor(context: HookContext, { retryMs = 1000, failing }: HookControllerOptions) {
    this.context = context;
    this.#workers = createKeyedWorkers({
      runtime: context.core.runtime,
      backoff: { firstMs: retryMs, maxMs: retryMs },
      failing: (name, error) => context.warn?.(`${failing(name)}: ${reasonOf(error)}`, error),
    });
  }

  add(name: string, afterMs?: number): void {
    this.#workers.add(name, afterMs);
  }

  /** Calls `stop` when the controller stops, before its worker. */
  onStop(stop: () => void): void {
    this.#stops.push(stop);
  }

  start(sync: SyncKey): void {
    this.#workers.start(sync);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    await this.#workers.stop();
  }
}
