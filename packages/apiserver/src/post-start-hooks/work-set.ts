// What is to be looked at, by name and once: one worker goes through it, and comes back after a
// while to what failed.
import type { Runtime } from "homeostat/runtime";

const retryMs = 1000;

export class WorkSet {
  readonly #runtime: Runtime;
  /** Resolves to whether all is well. */
  readonly #work: (name: string) => Promise<boolean>;
  readonly #names = new Set<string>();
  #isWorking = false;
  #isStopped = false;

  constructor(runtime: Runtime, work: (name: string) => Promise<boolean>) {
    this.#runtime = runtime;
    this.#work = work;
  }

  add(name: string): void {
    if (this.#isStopped) return;
    this.#names.add(name);
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#runtime.defer(() => void this.#run());
  }

  stop(): void {
    this.#isStopped = true;
    this.#names.clear();
  }

  /** What is added meanwhile is gone through as well. */
  async #run(): Promise<void> {
    for (const name of this.#names) {
      this.#names.delete(name);
      if (!(await this.#work(name).catch(() => false)))
        this.#runtime.clock.timer(retryMs, () => this.add(name));
    }
    this.#isWorking = false;
  }
}
