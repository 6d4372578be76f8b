// Keeps a watch on Leases. Each watch begins with the Leases as they are and lives for a minute;
// one that breaks is opened again after a retry period. Only the news count: who needs to know that
// nothing has changed, or what was deleted between two watches, reads the Leases.
import type { Client, Selection } from "../client/client.ts";
import { Lease } from "../k8s/coordination/v1/index.ts";
import { sleep } from "../runtime/sleep.ts";
import type { Clock } from "../runtime/clock.ts";

/** Whom a watch tells what. */
export interface LeaseWatchOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Which Leases. */
  readonly selection: Selection;
  readonly retryMs: number;
  /** A Lease as it is now, or as it was when it was deleted. */
  saw(lease: Lease, isDeleted: boolean): void;
  /** The watch runs, or has ended. */
  watching(is: boolean): void;
  /** Called each time when the watch cannot be opened. */
  failed(error: unknown): void;
}

const timeoutSeconds = 60;

/** A watch that is kept. */
export class LeaseWatch {
  readonly #options: LeaseWatchOptions;
  readonly #stopping = new AbortController();
  #current = new AbortController();

  constructor(options: LeaseWatchOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#run();
  }

  /** Opens it anew. */
  renew(): void {
    this.#current.abort();
  }

  stop(): void {
    this.#stopping.abort();
    this.#current.abort();
  }

  async #run(): Promise<void> {
    const { clock, retryMs, watching } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#current = new AbortController();
      const openedAt = clock.monotonic();
      const isOver = await this.#watch(this.#current.signal);
      if (signal.aborted) return;
      const hasLived = clock.monotonic() - openedAt >= retryMs;
      if ((isOver && hasLived) || this.#current.signal.aborted) continue;
      watching(false);
      await sleep(clock, retryMs, signal);
    }
  }

  /** True when the watch has ended as it should. */
  async #watch(signal: AbortSignal): Promise<boolean> {
    const { client, selection, saw, watching } = this.#options;
    const options = { ...selection, timeoutSeconds, signal };
    try {
      for await (const { type, object } of client.watch(Lease, options)) {
        watching(true);
        if (type !== "BOOKMARK") saw(object, type === "DELETED");
      }
      return true;
    } catch (error) {
      if (!signal.aborted) this.#options.failed(error);
      return false;
    }
  }
}
