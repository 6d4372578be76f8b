// An object, the effects of its phases, and a crash after a given number of writes.
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { createWait, type Outcome, retry } from "../outcome.ts";
import { currentRun } from "../run/current-run.ts";
import { RunScope } from "../run/run-scope.ts";
import { PhaseCalls } from "./phase-calls.ts";
import type { PhaseHost } from "./phase-host.ts";
import type { PhaseContext } from "./phase-machine.ts";
import type { PhaseState } from "./phase.ts";

export class Crash extends Error {}

/** The world of one object. */
export class World {
  readonly runtime = createVirtualRuntime();
  readonly effects: string[] = [];
  calls = new PhaseCalls();
  readonly present = new Set<string>();
  readonly broken = new Set<string>();
  status: { readonly machine?: PhaseState } = {};
  paused = false;
  isUnreachable = false;
  key = "v1";
  /** What the last run asked of the retry that follows its failure. */
  leastRetryMs: number | undefined;
  scope!: RunScope;
  writes = 0;
  crashAfter = Number.POSITIVE_INFINITY;

  effect(name: string, change: () => void): void {
    if (this.broken.has(name)) throw new Error(`${name} is broken`);
    this.effects.push(name);
    change();
    this.#written();
  }

  /** One reconcile, with the status written at its end as the runtime does. */
  async reconcile(machine: (context: Context) => Promise<Outcome | undefined>) {
    const set: { machine?: PhaseState } = {};
    const context = this.context((fields) => Object.assign(set, structuredClone(fields)));
    const deadline = AbortSignal.any([]);
    const scope = new RunScope({ title: "world", deadline, late: () => {} });
    const save = async (): Promise<void> => {
      if (JSON.stringify(set) === "{}" || JSON.stringify(set) === JSON.stringify(this.status))
        return;
      this.status = { ...this.status, ...structuredClone(set) };
      this.#written();
    };
    const saveStatus = async (): Promise<void> => {
      if (this.isUnreachable) throw new Error("unreachable");
      await save();
    };
    const host: PhaseHost = { uid: "u", calls: this.calls, saveStatus };
    scope.phaseHost = host;
    this.scope = scope;
    let result: Outcome | undefined | Error;
    try {
      result = await currentRun.run(scope, () => machine(context));
    } catch (error) {
      if (error instanceof Crash) throw error;
      result = error as Error;
    }
    this.leastRetryMs = host.leastRetryMs;
    await save();
    return result;
  }

  context(status: (fields: object) => void): Context {
    return {
      object: { status: this.status },
      world: this as World,
      status,
      wait: createWait(String),
      retry,
    };
  }

  #written(): void {
    if (++this.writes === this.crashAfter) throw new Crash();
  }
}

/** What a reconcile of the object is given. */
export interface Context extends PhaseContext {
  readonly object: { readonly status: World["status"] };
  readonly world: World;
}
