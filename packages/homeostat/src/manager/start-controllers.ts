// Starts each controller once its own kinds have synced, so that a kind that is missing holds up
// only the controllers that declare it.
// Upstream: sigs.k8s.io/controller-runtime/pkg/internal/controller/controller.go, which awaits the
// sources of each controller. There one that does not sync in time ends the manager.
import type { Kind } from "../api/kind.ts";
import type { ControllerRunner } from "../controller/controller-runner.ts";
import { declaredKinds } from "../controller/declared-kinds.ts";
import type { ControllerDefinition, ReconcileLog } from "../controller/define-controller.ts";
import { kindId } from "../controller/echo/run-record.ts";
import type { Timer } from "../runtime/clock.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { describeControllers } from "./log/describe-controllers.ts";
import type { WatchedScope } from "./scope/watched-scope.ts";

/** Controllers that still wait are named when others have run for so long. */
const partlyAfterMs = 1000;

/** A controller and its runner. */
export interface DeclaredRunner {
  readonly definition: ControllerDefinition;
  readonly runner: ControllerRunner;
}

/** What starts. */
export interface StartedControllers {
  readonly operator: string;
  /** The first ones. */
  readonly controllers: readonly DeclaredRunner[];
  readonly scope: WatchedScope;
  readonly runtime: Runtime;
  readonly log: ReconcileLog;
  /** Called when all kinds have synced, before the last controller starts. */
  synced(): void;
  /** A controller that is not to run yet is held, with synced caches, until `release`. */
  isHeld(definition: ControllerDefinition): boolean;
  /** Called once, when the first controllers can run, or all but those whose kinds are missing. */
  ready(): void;
}

/** The start of a manager's controllers. */
export class ControllerStart {
  readonly #options: StartedControllers;
  readonly #waiting = new Set<DeclaredRunner>();
  readonly #held = new Set<DeclaredRunner>();
  readonly #stopping = new AbortController();
  #partly: Timer | undefined;
  #hasBegun = false;
  #hasSynced = false;
  #isPartial = false;
  #isReady = false;

  constructor(options: StartedControllers) {
    this.#options = options;
    for (const one of options.controllers) this.#waiting.add(one);
  }

  /** The controllers that declare a kind and have not started. */
  waitingFor(kind: Kind): readonly string[] {
    const isDeclared = (one: Kind): boolean => kindId(one) === kindId(kind);
    return [...this.#waiting]
      .filter(({ definition }) => declaredKinds(definition).some(isDeclared))
      .map(({ definition }) => definition.name);
  }

  /** True when at least one controller has started, or is held. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** True when no controller waits for its kinds, and none is held. */
  get isComplete(): boolean {
    return this.#waiting.size === 0 && this.#held.size === 0;
  }

  /** True when the log has said which controllers wait. */
  get isPartial(): boolean {
    return this.#isPartial;
  }

  /** Resolves when all controllers have started or are held; rejects when stopped before. */
  async run(): Promise<void> {
    const { controllers, scope } = this.#options;
    await scope.opened(this.#stopping.signal);
    await Promise.all(controllers.map((one) => this.#start(one)));
    this.#sayReady();
  }

  /** Starts more controllers; as `run`. */
  async add(controllers: readonly DeclaredRunner[]): Promise<void> {
    for (const one of controllers) this.#waiting.add(one);
    await Promise.all(controllers.map((one) => this.#start(one)));
  }

  /** Starts the controllers that are held and may run now. */
  release(): void {
    for (const one of this.#held) {
      if (this.#options.isHeld(one.definition)) continue;
      this.#held.delete(one);
      one.runner.start();
    }
  }

  /** Forgets controllers that have been stopped. */
  drop(controllers: readonly DeclaredRunner[]): void {
    for (const one of controllers) {
      this.#waiting.delete(one);
      this.#held.delete(one);
    }
  }

  /** Starts no controller any more. */
  stop(): void {
    this.#stopping.abort();
    this.#partly?.cancel();
  }

  async #start(one: DeclaredRunner): Promise<void> {
    const { scope, runtime, log, synced } = this.#options;
    const { signal } = this.#stopping;
    const informers = declaredKinds(one.definition).map((kind) => scope.informer(kind));
    await Promise.all(informers.map((informer) => informer.synced(signal)));
    if (!this.#waiting.has(one)) return;
    if (this.#waiting.size === 1 && !this.#isPartial && !this.#hasSynced) {
      this.#hasSynced = true;
      synced();
    }
    signal.throwIfAborted();
    this.#waiting.delete(one);
    this.#hasBegun = true;
    if (this.#options.isHeld(one.definition)) this.#held.add(one);
    else one.runner.start();
    if (this.#isPartial) log.info(`started ${describeControllers([one.definition.name])}`);
    if (this.#waiting.size === 0) this.#partly?.cancel();
    else this.#partly ??= runtime.clock.timer(partlyAfterMs, () => this.#sayPartly());
  }

  #sayPartly(): void {
    const { operator, log } = this.#options;
    this.#isPartial = true;
    const names = Array.from(this.#waiting, ({ definition }) => definition.name);
    log.info(
      `started ${operator} without ${describeControllers(names)}, whose kinds have not synced`,
    );
    this.#sayReady();
  }

  #sayReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#options.ready();
  }
}
