// Writes of conditions outside of runs, until the controller has stopped: none begins or lands
// later, where another process may be at work.
import type { Client } from "../../client/client.ts";
import { parseObjectKey } from "../../api/object-meta.ts";
import type { ObjectStates } from "../object-state.ts";
import type { ReconcileDependencies } from "../reconcile-dependencies.ts";
import { type Verdict, verdictOfProgress } from "./verdict.ts";
import { writeProgress } from "./write-progress.ts";

/** Those of one controller. */
export class ProgressWrites {
  readonly #dependencies: ReconcileDependencies;
  readonly #client: Client;
  readonly #states: Pick<ObjectStates, "get">;
  readonly #open = new Set<Promise<void>>();
  readonly #interrupted = new Set<string>();

  /** Requests abort with `signal`. */
  constructor(
    dependencies: ReconcileDependencies,
    states: Pick<ObjectStates, "get">,
    signal: AbortSignal,
  ) {
    this.#dependencies = dependencies;
    this.#states = states;
    const { client, names } = dependencies;
    this.#client = client.with({ fieldManager: names.manager, signal });
  }

  /** Shows the progress of an object, unless another replica reconciles it. Never rejects. */
  async write(key: string, verdict: Verdict): Promise<void> {
    const { shards } = this.#dependencies;
    if (shards?.begin(key) === false) return;
    const open = writeProgress(this.#dependencies, this.#client, {
      key: parseObjectKey(key),
      verdict,
    }).finally(() => {
      this.#open.delete(open);
      shards?.end(key);
    });
    this.#open.add(open);
    return open;
  }

  /**
   * The loop of an object ends with its controller: its condition would stay on the object for
   * ever.
   */
  unloop(key: string): void {
    if (this.#states.get(key)?.progress.at === "running") this.#interrupted.add(key);
    this.#show(key);
  }

  /** A run has ended. Its own write may still have shown the loop that has ended meanwhile. */
  ran(key: string): void {
    if (this.#interrupted.delete(key)) this.#show(key);
  }

  #show(key: string): void {
    void this.write(key, verdictOfProgress(this.#states.get(key)?.progress));
  }

  /** Resolves when no write is open. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }
}
