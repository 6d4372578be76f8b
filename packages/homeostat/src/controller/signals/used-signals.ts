// Names the signals that a controller sets or clears and does not list in `signals`: nothing says
// that it does, no change of the entry reconciles its objects, and no limit is watched.
import type { WarnOnce } from "../warn-once.ts";
import type { SignalUse } from "./signal-use.ts";
import { describeSignal, type Signal } from "./signal.ts";

/** A controller and what it declares. */
interface Declaring {
  readonly name: string;
  readonly signals: readonly Signal[];
}

/** The signals that runs of one controller use. */
export class UsedSignals implements SignalUse {
  readonly #definition: Declaring;
  readonly #warnings: WarnOnce;

  constructor(definition: Declaring, warnings: WarnOnce) {
    this.#definition = definition;
    this.#warnings = warnings;
  }

  /** A run sets or clears a signal. */
  uses(signal: Signal): void {
    const { name: controller, signals } = this.#definition;
    if (signals.some((one) => one === signal || one.name === signal.name)) return;
    this.#warnings.warn(`controller ${controller}`, `signal ${signal.name}`, {
      message: `ERR_SIGNAL_UNLISTED: "${controller}" sets or clears ${describeSignal(signal)}, which it does not list`,
      controller,
      hint: "list it in the controller's `signals`",
    });
  }
}
