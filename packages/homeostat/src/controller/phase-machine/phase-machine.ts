// Runs a procedure of phases as a reconcile. Its state is in the object's status and nowhere else,
// so that another process goes on where this one has crashed. One call makes one step: what an
// attempt needs in order to be counted and undone is written before the attempt begins.
import { parseDuration } from "../../api/duration.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import { argumentError } from "../../util/argument-error.ts";
import { isOptions } from "../../util/option-faults.ts";
import { describeError } from "../../util/describe-error.ts";
import {
  isTerminal,
  type Outcome,
  restOf,
  type Retry,
  TerminalError,
  type Wait,
} from "../outcome.ts";
import { currentRun } from "../run/current-run.ts";
import { checkDecision, checkMachine } from "./check-phases.ts";
import { identify, type PhaseCall, restMs } from "./phase-calls.ts";
import {
  decide,
  type Decision,
  type Phase,
  type PhaseDefinition,
  type PhaseState,
  toJson,
} from "./phase.ts";

/** The parts of a reconcile's context that a machine uses. */
export interface PhaseContext {
  readonly object: { readonly status?: object | undefined };
  /** Sets fields of status; see {@link Context}. */
  readonly status: (fields: any) => void;
  readonly wait: Pick<Wait<never>, "for">;
  readonly retry: Retry;
}

/** Options of {@link phaseMachine}. */
export interface PhaseMachineOptions<C extends PhaseContext, Name extends string> {
  readonly initial: NoInfer<Name>;
  readonly phases: { readonly [P in Name]: Phase<C, NoInfer<Name>> };
  /** The field of status with the state, a {@link PhaseState}. Default `machine`. */
  readonly field?: string;
  /** While it returns true nothing is begun, and deadlines stand still. */
  readonly paused?: (context: C) => boolean;
  /** What the procedure is about. One that has ended starts again when this changes. */
  readonly key?: (context: C) => string;
  /** Default: the clock of the manager that runs the reconcile. */
  readonly clock?: Pick<Clock, "now">;
}

/** Makes one step; to be returned by reconcile. Undefined when the procedure is done. */
export type PhaseMachine<C extends PhaseContext> = (context: C) => Promise<Outcome | undefined>;

const defaultRetries = 5;

/** Creates a machine. @throws ERR_PHASE_DEFINITION, ERR_PHASE_UNKNOWN */
export function phaseMachine<C extends PhaseContext, Name extends string>(
  options: PhaseMachineOptions<C, Name>,
): PhaseMachine<C> {
  checkMachine(options);
  const system = createSystemRuntime().clock;
  definitionOf(options, options.initial, "correct `initial`, or add the phase");
  return async (context) => {
    if (!isOptions(context?.object) || typeof context.status !== "function")
      throw argumentError("running a phase machine", context, "the context of a reconcile");
    const clock = options.clock ?? currentRun.getStore()?.phaseHost?.clock ?? system;
    const machine = new Step(options, context, clock.now());
    return machine.run();
  };
}

/** An action that a phase has decided on. */
interface Decided<C extends PhaseContext> {
  readonly state: PhaseState;
  readonly definition: PhaseDefinition<C, string, unknown, unknown>;
  readonly action: unknown;
}

class Step<C extends PhaseContext> {
  readonly #options: PhaseMachineOptions<C, any>;
  readonly #context: C;
  readonly #now: number;
  readonly #field: string;
  readonly #run = currentRun.getStore();

  constructor(options: PhaseMachineOptions<C, any>, context: C, now: number) {
    this.#options = options;
    this.#context = context;
    this.#now = now;
    this.#field = options.field ?? "machine";
  }

  async run(): Promise<Outcome | undefined> {
    const state = this.#load();
    const { wait } = this.#context;
    if (this.#options.paused?.(this.#context)) {
      this.#save({ ...state, pausedSince: state.pausedSince ?? this.#at(this.#now) });
      return wait.for(`phase ${state.phase} to be resumed`);
    }
    const resumed = this.#resume(state);
    this.#save(resumed);
    return resumed.failure === undefined ? this.#goOn(resumed) : this.#undo(resumed);
  }

  async #goOn(state: PhaseState): Promise<Outcome | undefined> {
    const definition = definitionOf(this.#options, state.phase);
    if (!definition) return undefined;
    const leftMs = this.#leftMs(definition, state);
    if (leftMs <= 0)
      return this.#fail(state, `phase ${state.phase} took longer than ${definition.deadline}`);
    const seen = await definition.observe(this.#context);
    const decision = checkDecision(definition.decide(seen, decide) as Decision, state.phase);
    if (decision.does === "fail") return this.#fail(state, decision.because);
    if (decision.does === "go") return this.#enter(state, decision.to);
    if (decision.does === "act")
      return this.#decidedToAct({ state, definition, action: decision.action });
    this.#save({ ...state, acts: false });
    const { wait, retry } = this.#context;
    return Number.isFinite(leftMs)
      ? retry.in(Math.ceil(leftMs), { because: `waiting for ${decision.what} until the deadline` })
      : wait.for(decision.what);
  }

  async #decidedToAct(decided: Decided<C>): Promise<Outcome> {
    const { state, definition, action } = decided;
    const { phase, attempts } = state;
    const last = this.#lastCall(phase);
    if (attempts > (definition.retries ?? defaultRetries))
      return this.#fail(state, describeFailures(state, last));
    const waitMs = last ? restMs(last, identify(action), this.#now) : 0;
    if (!last || waitMs <= 0) return this.#act(decided);
    this.#save({ ...state, acts: false });
    if (isTerminal(last.error)) throw last.error;
    const afterMs = Math.ceil(Math.min(waitMs, this.#leftMs(definition, state)));
    if (last.error !== undefined) return restOf(afterMs, last.error);
    const because = last.hasSucceeded
      ? `phase ${phase} has acted, and waits for the effect`
      : `the last attempt of phase ${phase} did not end`;
    return this.#context.retry.in(afterMs, { because });
  }

  /** The attempt counts as failed from before it begins until it succeeds. */
  async #act({ state, definition, action }: Decided<C>): Promise<Outcome> {
    const { phase, undo } = state;
    const attempts = state.attempts + 1;
    const listed = definition.undo && !undo.includes(phase) ? [...undo, phase] : undo;
    const begun = { ...state, attempts, acts: true, undo: listed };
    const last = this.#lastCall(phase);
    const call = { phase, action: identify(action), at: this.#now };
    await this.#saveNow(begun, state);
    this.#remember({ ...call, hasSucceeded: false, times: attempts });
    try {
      await definition.act?.(this.#context, action, { attempt: attempts });
    } catch (error) {
      if (this.#run?.hasEnded) throw error;
      const failed = { ...call, hasSucceeded: false, times: attempts, error };
      this.#remember(failed);
      this.#save({ ...begun, acts: false });
      if (attempts <= (definition.retries ?? defaultRetries))
        this.#restFor(
          Math.min(restMs(failed, call.action, this.#now), this.#leftMs(definition, state)),
        );
      throw error;
    }
    this.#save({ ...begun, attempts: state.attempts, acts: false });
    const isSame = last?.hasSucceeded && last.action === call.action;
    this.#remember({ ...call, hasSucceeded: true, times: isSame ? last.times + 1 : 1 });
    return this.#context.retry.in(0, { because: `phase ${phase} has acted` });
  }

  /** The retry after the failure, and what is said of it, are those of the phase. */
  #restFor(ms: number): void {
    const host = this.#run?.phaseHost;
    if (host) host.leastRetryMs = Math.ceil(ms);
  }

  #lastCall(phase: string): PhaseCall | undefined {
    return this.#run?.phaseHost?.calls.get(this.#id(), phase);
  }

  #remember(call: PhaseCall): void {
    this.#run?.phaseHost?.calls.set(this.#id(), call);
  }

  /** Names the procedure among those of the controller. */
  #id(): string {
    return `${this.#run?.phaseHost?.uid}/${this.#field}`;
  }

  /** Writes a state before the run goes on; one that cannot be written leaves `before`. */
  async #saveNow(state: PhaseState, before: PhaseState): Promise<void> {
    this.#save(state);
    try {
      await this.#run?.phaseHost?.saveStatus();
    } catch (error) {
      if (!this.#run?.hasEnded) this.#save(before);
      throw error;
    }
  }

  async #undo(state: PhaseState): Promise<Outcome> {
    const last = state.undo.at(-1);
    if (last === undefined) throw new TerminalError(state.failure!);
    await definitionOf(this.#options, last)?.undo?.(this.#context);
    return this.#next({ ...state, undo: state.undo.slice(0, -1) }, `phase ${last} is undone`);
  }

  #fail(state: PhaseState, failure: string): Outcome {
    return this.#next({ ...state, acts: false, failure }, failure);
  }

  #enter(state: PhaseState, to: string): Outcome {
    definitionOf(
      this.#options,
      to,
      `correct the decision of phase ${state.phase}, or add the phase`,
    );
    const since = this.#at(this.#now);
    return this.#next({ ...state, phase: to, since, attempts: 0, acts: false }, `enters ${to}`);
  }

  #next(state: PhaseState, because: string): Outcome {
    this.#run?.phaseHost?.calls.delete(this.#id());
    this.#save(state);
    return this.#context.retry.in(0, { because });
  }

  #leftMs({ deadline }: { readonly deadline?: string | number }, { since }: PhaseState): number {
    if (deadline === undefined) return Number.POSITIVE_INFINITY;
    return Date.parse(since) + parseDuration(deadline) - this.#now;
  }

  /** The deadline moves by the time of the pause. */
  #resume({ pausedSince, ...state }: PhaseState): PhaseState {
    if (pausedSince === undefined) return state;
    const pauseMs = Math.max(0, this.#now - Date.parse(pausedSince));
    return { ...state, since: this.#at(Date.parse(state.since) + pauseMs) };
  }

  /** The state in status, or the first one of a new procedure. */
  #load(): PhaseState {
    const status = (this.#context.object.status ?? {}) as Readonly<Record<string, unknown>>;
    const found = status[this.#field] as Partial<PhaseState> | undefined;
    const key = this.#options.key?.(this.#context);
    const first = this.#first(key);
    if (found?.phase === undefined) return first;
    const state: PhaseState = { ...first, ...found, undo: found.undo ?? [], key: found.key };
    return this.#hasEnded(state) && key !== state.key ? first : state;
  }

  #first(key: string | undefined): PhaseState {
    const since = this.#at(this.#now);
    return { phase: this.#options.initial, since, attempts: 0, acts: false, undo: [], key };
  }

  #hasEnded({ phase, failure, undo }: PhaseState): boolean {
    if (failure !== undefined) return undo.length === 0;
    return definitionOf(this.#options, phase) === undefined;
  }

  #save(state: PhaseState): void {
    this.#context.status({ [this.#field]: toJson(state) });
  }

  #at(ms: number): string {
    return new Date(ms).toISOString();
  }
}

const describeFailures = ({ phase, attempts }: PhaseState, last: PhaseCall | undefined): string =>
  `phase ${phase} failed ${attempts === 1 ? "once" : `${attempts} times`}` +
  (last?.error === undefined ? "" : `: ${describeError(last.error)}`);

/** Undefined for a final phase. */
function definitionOf<C extends PhaseContext>(
  { phases }: PhaseMachineOptions<C, any>,
  name: string,
  hint = "keep a phase as long as objects are in it, or undo it",
): PhaseDefinition<C, string, unknown, unknown> | undefined {
  const found = Object.hasOwn(phases, name)
    ? (phases as Readonly<Record<string, Phase<C, string>>>)[name]
    : undefined;
  if (!found)
    throw new HomeostatError(
      "ERR_PHASE_UNKNOWN",
      `there is no phase "${name}"; there are ${Object.keys(phases).join(", ") || "none"}`,
      { hint },
    );
  return found["~phase"];
}
