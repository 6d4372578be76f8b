// What belongs to one run of a user's code: its signals, the calls that it has started, and the
// work that may outlive it. A run that has ended starts nothing, and its object is not reconciled
// again before everything of the run has settled.
import { isApiStatusError } from "../../api/status.ts";
import { describeError } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { addCaller } from "../../util/user-frames.ts";
import { RunRecord } from "../echo/run-record.ts";
import type { ChainRun } from "../loop/write-chains.ts";
import type { PhaseHost } from "../phase-machine/phase-host.ts";
import type { SignalUse } from "../signals/signal-use.ts";
import type { CompletedWrite } from "../../client/client.ts";
import { type CurrentRun, currentRun } from "./current-run.ts";
import type { Attempt } from "./attempt-observer.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { RunTrace } from "./run-tracer.ts";
import type { ThrownResults } from "./thrown-results.ts";
import { TrackedPromise } from "./tracked-promise.ts";

interface Call {
  readonly what: string;
  readonly isRead: boolean;
  readonly promise: TrackedPromise<unknown>;
  isOpen: boolean;
  error?: unknown;
}

interface Made {
  readonly what: string;
  /** For a terminal error. */
  readonly error: Error | undefined;
}

/** Options of a run. */
export interface RunScopeOptions {
  /** The reconciled object, e.g. `Box kitchen/large`. */
  readonly title: string;
  /** Aborts at the deadline and at shutdown; in-flight requests abort with it. */
  readonly deadline: AbortSignal;
  /** Called with errors that nobody else receives, after the run has ended. */
  readonly late: (error: unknown) => void;
  readonly record?: RunRecord;
  readonly requests?: OpenRequests;
  readonly chain?: ChainRun;
}

/** One run. */
export class RunScope implements CurrentRun {
  readonly title: string;
  readonly deadline: AbortSignal;
  /** What it has read and written. */
  readonly record: RunRecord;
  /** Its requests that have no answer; undefined where they are not counted. */
  readonly requests: OpenRequests | undefined;
  /** Undefined unless runs are traced. */
  trace: RunTrace | undefined;
  /** Undefined unless attempts are recorded. */
  attempt: Attempt | undefined;
  /** Undefined outside of a manager. */
  phaseHost: PhaseHost | undefined;
  /** Undefined outside of a manager. */
  usedSignals: SignalUse | undefined;
  /** Which runs have caused it; undefined where that is not followed. */
  readonly chain: ChainRun | undefined;
  readonly #late: (error: unknown) => void;
  // Most runs need few of these: each is made when it is first needed.
  #calls: Set<Call> | undefined;
  #held: Map<Promise<unknown>, string> | undefined;
  #strays: unknown[] | undefined;
  #overtaken: Set<unknown> | undefined;
  #made: Made[] | undefined;
  #abort: AbortController | undefined;
  #hasEnded = false;
  #hasReturned = false;

  constructor({ title, deadline, late, record, requests, chain }: RunScopeOptions) {
    this.title = title;
    this.deadline = deadline;
    this.#late = late;
    this.record = record ?? new RunRecord();
    this.requests = requests;
    this.chain = chain;
  }

  /** Aborts when the run ends, and with the deadline. */
  get signal(): AbortSignal {
    if (!this.#abort) {
      const abort = new AbortController();
      this.#abort = abort;
      const follow = (): void => this.#abortWith(this.deadline.reason);
      if (this.deadline.aborted) follow();
      else this.deadline.addEventListener("abort", follow, { once: true });
      if (this.#hasEnded) this.#abortWith(this.#refusal("work"));
    }
    return this.#abort.signal;
  }

  /** True when the run has returned, failed, or exceeded its deadline. */
  get hasEnded(): boolean {
    return this.#hasEnded || this.deadline.aborted;
  }

  /** As `assertGoingOn`, for calls of the user's code: the refusal is also reported. */
  assertRunning(what: string): void {
    if (this.hasEnded && !this.deadline.aborted) this.#late(this.#refusal(what));
    this.assertGoingOn(what);
  }

  /** @throws ERR_RUN_ENDED once the run has ended */
  assertGoingOn(what: string): void {
    if (this.hasEnded) throw this.#refusal(what);
  }

  /**
   * Starts a call whose result the user's code must await. Rejects with ERR_RUN_ENDED, and starts
   * nothing, once the run has ended.
   */
  call<T>(what: string, start: () => Promise<T>, options: { readonly isRead?: true } = {}) {
    const caller: { readonly stack?: string } = {};
    Error.captureStackTrace(caller, this.call);
    const work = this.#hold(what, this.#start(what, start, caller));
    const call: Call = {
      what,
      isRead: options.isRead === true,
      promise: TrackedPromise.follow(work),
      isOpen: true,
    };
    (this.#calls ??= new Set()).add(call);
    work.then(
      () => {
        call.isOpen = false;
        if (call.promise.isAwaited) this.#calls?.delete(call);
      },
      (error: unknown) => {
        call.isOpen = false;
        call.error = error;
      },
    );
    return call.promise as Promise<T>;
  }

  /** Keeps the object from being reconciled again until `work` settles. */
  hold<T>(what: string, work: Promise<T>): Promise<T> {
    return this.#hold(what, work);
  }

  /** An error of this run that no code received. */
  stray(error: unknown): void {
    if (this.hasEnded) this.#late(error);
    else (this.#strays ??= []).push(error);
  }

  /** Records a result that the user's code has made, and should return or throw. */
  made(what: string, error?: Error): void {
    if (!this.hasEnded) (this.#made ??= []).push({ what, error });
  }

  /** The user's code has caught an error: it was no forgotten result. */
  received(error: unknown): void {
    this.#made = this.#made?.filter((one) => one.error === undefined || one.error !== error);
  }

  /** The results made so far, without those that were thrown. */
  results(thrown?: ThrownResults): readonly string[] {
    return (this.#made ?? [])
      .filter(({ error }) => error === undefined || !thrown?.has(error))
      .map(({ what }) => what);
  }

  /** Records an error of a write of the runtime whose object had been replaced or deleted. */
  markOvertaken(error: unknown): void {
    (this.#overtaken ??= new Set()).add(error);
  }

  wasOvertaken(error: unknown): boolean {
    return this.#overtaken?.has(error) === true;
  }

  /** A write of the run's code, through any client. */
  wrote(write: CompletedWrite): void {
    if (this.#hasReturned) return;
    this.record.overheard(write);
    this.chain?.wrote(write);
    this.trace?.wrote(write);
    this.attempt?.wrote(write);
  }

  /** The user's code has returned, and writes nothing more. */
  returned(): void {
    this.#hasReturned = true;
    this.end();
  }

  /** Ends the run: its signal aborts, and it starts nothing more. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (this.#abort && !this.#abort.signal.aborted) this.#abortWith(this.#refusal("work"));
  }

  /** In the run, so that what listeners throw is an error of this run. */
  #abortWith(reason: unknown): void {
    currentRun.run(this, () => this.#abort?.abort(reason));
  }

  /** What the run has started and not awaited, as an error. To be called at the end of the run. */
  notAwaited(): HomeostatError | undefined {
    if (!this.#calls && !this.#strays) return undefined;
    const strays = this.#strays ?? [];
    const calls = [...(this.#calls ?? [])].filter(
      ({ isOpen, isRead, promise }) => !promise.isAwaited || (isOpen && !isRead),
    );
    const names = [
      ...calls.map((call) =>
        call.error === undefined
          ? call.what
          : `${call.what}, which failed (${describeError(call.error)}),`,
      ),
      ...strays.map((error) => `a promise that was rejected (${describeError(error)})`),
    ];
    if (names.length === 0) return undefined;
    return new HomeostatError(
      "ERR_NOT_AWAITED",
      `${names.join(", ")} of ${this.title} was not awaited; its result and its errors would be lost`,
      {
        hint: "write `await` in front of it",
        cause: calls.find((call) => call.error !== undefined)?.error ?? strays[0],
      },
    );
  }

  /** Names of the work that has not settled. */
  open(): readonly string[] {
    return this.#held ? [...this.#held.values()] : [];
  }

  /** Resolves when all work has settled, work that started meanwhile included. */
  async settled(): Promise<void> {
    while (this.#held?.size) await Promise.allSettled(this.#held.keys());
  }

  /** Never throws: what the user's code passes may. */
  async #start<T>(
    what: string,
    start: () => Promise<T>,
    caller: { readonly stack?: string },
  ): Promise<T> {
    this.assertRunning(what);
    try {
      return await start();
    } catch (error) {
      if (isApiStatusError(error)) addCaller(error, caller);
      throw error;
    }
  }

  #hold<T>(what: string, work: Promise<T>): Promise<T> {
    const held = (this.#held ??= new Map());
    held.set(work, what);
    const release = (): void => void held.delete(work);
    work.then(release, release);
    return work;
  }

  #refusal(what: string): HomeostatError {
    return new HomeostatError(
      "ERR_RUN_ENDED",
      `${what} of ${this.title}: its reconcile has ended${this.deadline.aborted ? ` (${describeError(this.deadline.reason)})` : ""}, so nothing was started`,
      { hint: "await all work before reconcile returns" },
    );
  }
}
