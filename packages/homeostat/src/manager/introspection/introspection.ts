// What introspection records while a manager works, where it is asked for: attempts, and changes
// for those that listen. The parts are loaded at the start of a manager that has them.
import type { Kind } from "../../api/kind.ts";
import type { ObjectState } from "../../controller/object-state.ts";
import type { AttemptObserver } from "../../controller/run/attempt-observer.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { AttemptHistory } from "./history/attempt-history.ts";
import type { RecordedController } from "./history/recorded-attempt.ts";
import type { ChangeStreams } from "./stream/change-streams.ts";

export class Introspection {
  readonly #runtime: Runtime;
  #history: AttemptHistory | undefined;
  #streams: ChangeStreams | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Loads what records. */
  async open(): Promise<void> {
    const [{ AttemptHistory }, { ChangeStreams }] = await Promise.all([
      import("./history/attempt-history.ts"),
      import("./stream/change-streams.ts"),
    ]);
    const streams = new ChangeStreams(this.#runtime.clock);
    this.#history = new AttemptHistory(this.#runtime);
    this.#history.onEnded((attempt) => streams.ended(attempt));
    this.#streams = streams;
  }

  /** Ends the streams. */
  close(): void {
    this.#streams?.stop();
  }

  /** Undefined before `open`. */
  get history(): AttemptHistory | undefined {
    return this.#history;
  }

  /** Undefined before `open`. */
  get streams(): ChangeStreams | undefined {
    return this.#streams;
  }

  /** Records the attempts of a controller, once open. */
  controller(of: RecordedController): AttemptObserver | undefined {
    return this.#history?.controller(of);
  }

  /** The state of an object has changed. */
  changed(state: ObjectState, kind: Kind): void {
    this.#streams?.changed(state, kind);
  }
}
