// Writes of conditions outside of runs, until the controller has stopped: none begins or lands
// later, where another process may be at work.
import type { Client } from "../../client/client.ts";
import { parseObjectKey } from "../../api/object-meta.ts";
import type { ReconcileDependencies } from "../reconcile-dependencies.ts";
import type { Verdict } from "./verdict.ts";
import { writeProgress } from "./write-progress.ts";

/** Those of one controller. */
export class ProgressWrites {
  readonly #dependencies: ReconcileDependencies;
  readonly #client: Client;
  readonly #open = new Set<Promise<void>>();

  /** Requests abort with `signal`. */
  constructor(dependencies: ReconcileDependencies, signal: AbortSignal) {
    this.#dependencies = dependencies;
    const { client, names } = dependencies;
    this.#client = client.with({ fieldManager: names.manager, signal });
  }

  /** Shows the progress of an object. Never rejects. */
  write(key: string, verdict: Verdict): Promise<void> {
    const open = writeProgress(this.#dependencies, this.#client, {
      key: parseObjectKey(key),
      verdict,
    }).finally(() => this.#open.delete(open));
    this.#open.add(open);
    return open;
  }

  /** Resolves when no write is open. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }
}
