// Records the attempts of one controller, and counts what flows along its edges in the graph.
import type { ApiRequest, CompletedWrite } from "../../../client/client.ts";
import { writtenRevision } from "../../../client/completed-write.ts";
import type { ObjectState, Progress } from "../../../controller/object-state.ts";
import type {
  Attempt,
  AttemptEnd,
  AttemptObserver,
} from "../../../controller/run/attempt-observer.ts";
import type { QueueItem } from "../../../queue/workqueue.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { recordError } from "./fingerprint.ts";
import { recordWrite } from "./record-write.ts";
import type { Flow } from "./flow.ts";
import {
  cut,
  cutCause,
  mostListed,
  type RecordedAttempt,
  type RecordedController,
  type RecordedState,
  type RecordedStep,
  type RecordedWrite,
} from "./recorded-attempt.ts";

/** What attempts are recorded with. */
export interface Recording {
  readonly clock: Clock;
  readonly of: RecordedController;
  readonly flow: Flow;
  /** For hashes. */
  readonly hashKey: Uint8Array;
  nextId(): number;
  /** Receives each attempt when it has ended. */
  add(attempt: RecordedAttempt): void;
}

/** Records the attempts of one controller. */
export const recordAttempts = (recording: Recording): AttemptObserver => ({
  begin(item) {
    recording.flow.woken(item.causes);
    return new AttemptRecording(recording, item);
  },
});

class AttemptRecording implements Attempt {
  readonly #recording: Recording;
  readonly #item: QueueItem;
  readonly #beganAt: number;
  readonly #began: number;
  // Most attempts need few of these: each is made when it is first needed.
  #steps: RecordedStep[] | undefined;
  #moreSteps = 0;
  #writes: RecordedWrite[] | undefined;
  #moreWrites = 0;
  #hasEnded = false;

  constructor(recording: Recording, item: QueueItem) {
    this.#recording = recording;
    this.#item = item;
    this.#beganAt = recording.clock.now();
    this.#began = recording.clock.monotonic();
  }

  stepped(
    name: string,
    { tookMs, hasFailed }: { readonly tookMs: number; readonly hasFailed: boolean },
  ): void {
    if (this.#hasEnded) return;
    this.#steps ??= [];
    if (this.#steps.length >= mostListed) this.#moreSteps++;
    else this.#steps.push({ name: cut(name), tookMs, ...(hasFailed ? { failed: true } : {}) });
  }

  answered(request: ApiRequest, code: number): void {
    if (this.#hasEnded || request.method === "GET") return;
    const write = recordWrite(request, code, this.#recording.hashKey);
    if (!write) return;
    this.#recording.flow.wrote(write);
    this.#writes ??= [];
    if (this.#writes.length < mostListed) this.#writes.push(write);
    else this.#moreWrites++;
  }

  wrote(write: CompletedWrite): void {
    const { name, namespace } = write.key;
    const sent = this.#writes?.findLast(
      (one) =>
        one.resourceVersion === undefined &&
        (one.name ?? name) === name &&
        one.namespace === namespace,
    );
    if (!sent) return;
    sent.name = name;
    const revision = writtenRevision(write);
    if (revision !== undefined) sent.resourceVersion = revision;
  }

  ended({ result, state, error }: AttemptEnd): void {
    this.#hasEnded = true;
    const { clock, of } = this.#recording;
    const { key, failures, causes, droppedCauses } = this.#item;
    this.#recording.add({
      id: this.#recording.nextId(),
      of,
      key,
      attempt: failures + 1,
      beganAt: this.#beganAt,
      tookMs: clock.monotonic() - this.#began,
      causes: causes.map(cutCause),
      droppedCauses,
      result,
      state: recordState(state),
      error: error === undefined ? undefined : recordError(key, error),
      steps: this.#steps ?? none,
      moreSteps: this.#moreSteps,
      writes: this.#writes ?? none,
      moreWrites: this.#moreWrites,
    });
  }
}

const none: readonly never[] = [];

function recordState(state: ObjectState | undefined): RecordedState {
  if (!state) return { at: "gone" };
  const { progress } = state;
  const because = becauseOf(progress);
  return {
    at: progress.at,
    ...(because === undefined ? {} : { because: cut(because) }),
    ...(progress.at === "retrying" ? { nextAt: progress.nextAt } : {}),
  };
}

function becauseOf(progress: Progress): string | undefined {
  if (progress.at === "waiting") return progress.what;
  return progress.at === "retrying" || progress.at === "stalled" ? progress.because : undefined;
}
