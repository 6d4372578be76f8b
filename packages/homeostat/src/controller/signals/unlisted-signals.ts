// Reports the signals that a controller sets or clears and does not list in `signals`: nothing says
// that it does, no change of the entry reconciles its objects, and no limit is watched.
import { formatObjectKey } from "../../api/gvk.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import type { Breaches } from "../boundaries/breaches.ts";
import type { SignalUse } from "./signal-use.ts";
import { describeSignal, type Signal } from "./signal.ts";

/** The run that uses a signal. */
interface UsingRun {
  readonly definition: {
    readonly name: string;
    readonly kind: { readonly kind: string };
    readonly signals: readonly Signal[];
  };
  readonly breaches: Breaches;
}

/** Follows which signals a run of `object` sets and clears. */
export function followSignals(
  { definition, breaches }: UsingRun,
  { metadata }: KubeObject,
): SignalUse {
  const { name: controller, kind, signals } = definition;
  return {
    uses(signal: Signal) {
      if (signals.some((one) => one === signal || one.name === signal.name)) return;
      const key = formatObjectKey(metadata);
      breaches.add("ERR_SIGNAL_UNLISTED", { id: signal.name, key }, () => ({
        object: `${kind.kind} ${key}`,
        message: `"${controller}" sets or clears ${describeSignal(signal)}, which it does not list`,
        hint: "list it in the controller's `signals`",
      }));
    },
  };
}
