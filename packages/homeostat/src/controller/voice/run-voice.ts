// What the runs of a controller tell people: lines in the log and Events on the objects. The
// conditions are part of the status that a run writes (progress-conditions.ts).
import type { EventRecorder } from "../../events/index.ts";
import type { ObjectReference } from "../../k8s/core/v1/models.ts";
import type { Breach } from "../boundaries/breaches.ts";
import { ConflictLog } from "./conflict-log.ts";
import type { ControllerLog } from "./controller-log.ts";
import { FailureLog, type LoggedFailure } from "./failure-log.ts";
import { verdictOfError } from "./verdict.ts";

export interface RunVoiceOptions extends ControllerLog {
  /** Undefined when Events are switched off. */
  readonly recorder: EventRecorder | undefined;
  /** The object of a key; undefined when it is gone. */
  readonly reference: (key: string) => ObjectReference | undefined;
  /** Where in the user's code an error was made, e.g. `src/sites.ts:17:47`. */
  readonly locate?: (error: unknown) => string | undefined;
}

/** Reasons of Events; of the others it is `UndeclaredRead`. */
const breachReasons: Partial<Record<Breach["code"], string>> = {
  ERR_RESULT_UNUSED: "UnusedResult",
  ERR_SIGNAL_UNLISTED: "UnlistedSignal",
};

/** The voice of one controller. */
export class RunVoice {
  readonly #options: RunVoiceOptions;
  readonly #failures: FailureLog;
  readonly #conflicts: ConflictLog;

  constructor(options: RunVoiceOptions) {
    this.#options = options;
    this.#failures = new FailureLog(options);
    this.#conflicts = new ConflictLog(options);
  }

  /** A run has failed. */
  failed(key: string, failure: LoggedFailure): void {
    this.#failures.failed(key, failure);
    const { reason, message } = verdictOfError(failure.error);
    this.#record(key, "Warning", reason, message);
  }

  /** Another writer came first, for the `count`-th time in a row. */
  conflicted(key: string, count: number, failure: LoggedFailure): void {
    const isStorm = this.#conflicts.conflicted(key, count, failure);
    if (isStorm) this.#record(key, "Warning", "Conflict", failure.because);
  }

  /** The run did not end in time. */
  abandoned(key: string, because: string): void {
    this.#options.log.error(`abandoned: ${because}`, this.#about(key));
    this.#record(key, "Warning", "DeadlineExceeded", because);
  }

  /** The object is reconciled again and again without an end. */
  looped(key: string, what: string): void {
    this.#options.log.warn(`ERR_RECONCILE_LOOP: ${what}`, this.#about(key));
    this.#record(key, "Warning", "ReconcileLoop", what);
  }

  /** The controller makes a mistake that would otherwise show nowhere. */
  breached(key: string, { code, message, hint }: Breach): void {
    this.#options.log.warn(`${code}: ${message}`, { ...this.#about(key), hint });
    this.#record(key, "Warning", breachReasons[code] ?? "UndeclaredRead", message);
  }

  /** A signal on an object, of any kind, is still set after its time. */
  overdue(object: string, regarding: ObjectReference, message: string): void {
    const { log, controller, recorder } = this.#options;
    log.warn(`ERR_SIGNAL_OVERDUE: ${message}`, { controller, object });
    recorder?.record({ regarding, type: "Warning", reason: "SignalOverdue", note: message });
  }

  /** A run has returned. */
  succeeded(key: string): void {
    const failures = this.#failures.recovered(key);
    if (failures === 0) return;
    const times = failures === 1 ? "1 failure" : `${failures} failures`;
    this.#options.log.info(`reconciled after ${times}`, this.#about(key));
    this.#record(key, "Normal", "Reconciled", `reconciled after ${times}`);
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#failures.recovered(key);
  }

  #record(key: string, type: "Normal" | "Warning", reason: string, note: string): void {
    const { recorder, reference } = this.#options;
    const regarding = recorder && reference(key);
    if (regarding) recorder.record({ regarding, type, reason, note });
  }

  #about(key: string) {
    const { controller, kind } = this.#options;
    return { controller, object: `${kind} ${key}` };
  }
}
