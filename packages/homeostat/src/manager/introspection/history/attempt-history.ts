// The latest attempts of a manager's controllers, in bounded memory: some thousand of all, and some
// thousand of those that have failed, which a flood of successes does not push out.
import type { Runtime } from "../../../runtime/runtime.ts";
import type { AttemptObserver } from "../../../controller/run/attempt-observer.ts";
import { AttemptRing, type RingLimits } from "./attempt-ring.ts";
import { Flow } from "./flow.ts";
import { recordAttempts } from "./record-attempts.ts";
import type { RecordedAttempt, RecordedController } from "./recorded-attempt.ts";

const limits = {
  all: { attempts: 5000, bytes: 4 << 20 },
  failed: { attempts: 2000, bytes: 2 << 20 },
} satisfies Readonly<Record<string, RingLimits>>;

/** Clusters come and go under ever new names. */
const mostFlows = 1000;

/** What is kept of the attempts, and what no longer is. */
export interface HistoryCounts {
  /** Attempts that have ended since the start. */
  readonly ended: number;
  readonly kept: number;
  readonly bytes: number;
  /** No longer kept, successes and failures. */
  readonly dropped: number;
}

export class AttemptHistory {
  readonly #runtime: Runtime;
  readonly #hashKey: Uint8Array;
  readonly #all: AttemptRing;
  readonly #failed: AttemptRing;
  /** By cluster and controller, which outlives its terms of election. */
  readonly #flows = new Map<string, Flow>();
  #listener: ((attempt: RecordedAttempt) => void) | undefined;
  #ended = 0;

  constructor(runtime: Runtime, given: typeof limits = limits) {
    this.#runtime = runtime;
    this.#hashKey = runtime.entropy.bytes(32);
    this.#all = new AttemptRing(given.all);
    this.#failed = new AttemptRing(given.failed);
  }

  /** Calls `listener` with each attempt that has ended. */
  onEnded(listener: (attempt: RecordedAttempt) => void): void {
    this.#listener = listener;
  }

  /** Records the attempts of a controller. */
  controller(of: RecordedController): AttemptObserver {
    return recordAttempts({
      clock: this.#runtime.clock,
      of,
      flow: this.flow(of),
      hashKey: this.#hashKey,
      nextId: () => ++this.#ended,
      add: (attempt) => this.#add(attempt),
    });
  }

  /** What has flowed along the edges of a controller. */
  flow({ cluster = "", name }: Pick<RecordedController, "cluster" | "name">): Flow {
    const id = `${cluster} ${name}`;
    const flow = this.#flows.get(id) ?? new Flow();
    this.#flows.set(id, flow);
    if (this.#flows.size > mostFlows) this.#flows.delete(this.#flows.keys().next().value!);
    return flow;
  }

  /** The newest first. */
  attempts(): readonly RecordedAttempt[] {
    const all = this.#all.attempts();
    const oldest = all[0]?.id ?? Infinity;
    const earlier = this.#failed.attempts().filter(({ id }) => id < oldest);
    return [...earlier, ...all].toReversed();
  }

  counts(): HistoryCounts {
    const kept = this.attempts().length;
    const bytes = this.#all.bytes + this.#failed.bytes;
    return { ended: this.#ended, kept, bytes, dropped: this.#ended - kept };
  }

  #add(attempt: RecordedAttempt): void {
    this.#all.add(attempt);
    if (attempt.error || attempt.result === "timeout") this.#failed.add(attempt);
    this.#listener?.(attempt);
  }
}
