// An open watch whose events may come late, twice, or never.
import type { EventFate } from "./interference.ts";

/** What a watch asks and tells. */
export interface WatchHooks {
  fate(frame: Uint8Array): EventFate;
  /** The next frame for the process. */
  frame(frame: Uint8Array): void;
  end(): void;
}

/** One watch; the server sends each event in a frame of its own. */
export class SimulatedWatch {
  readonly #hooks: WatchHooks;
  /** What waits, while something does. */
  #held: Uint8Array[] | undefined;
  #hasEnded = false;

  constructor(hooks: WatchHooks) {
    this.#hooks = hooks;
  }

  take(frame: Uint8Array): void {
    if (this.#hasEnded) return;
    if (this.#held) return void this.#held.push(frame);
    const fate = this.#hooks.fate(frame);
    if (fate === "end") return this.#finish();
    if (typeof fate === "object") return this.#hold(frame, fate);
    this.#hooks.frame(frame);
    if (fate === "twice") this.#hooks.frame(frame);
  }

  /** The server has ended it. */
  end(): void {
    // A watch that is held back is not heard to end.
    if (!this.#held) this.#finish();
    else this.#hasEnded = true;
  }

  #hold(frame: Uint8Array, { until, then }: Exclude<EventFate, string>): void {
    const held = (this.#held = [frame]);
    void until.then(() => {
      this.#held = undefined;
      if (then === "expire") {
        this.#hooks.frame(expired);
        return this.#hooks.end();
      }
      for (const one of held) this.#hooks.frame(one);
      if (this.#hasEnded) this.#hooks.end();
    });
  }

  #finish(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#hooks.end();
  }
}

/** Source: k8s.io/apimachinery/pkg/api/errors.NewResourceExpired. */
const expired = Buffer.from(
  `${JSON.stringify({
    type: "ERROR",
    object: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "too old resource version",
      reason: "Expired",
      code: 410,
    },
  })}\n`,
);
