// Refuses writes of signals by controllers that are not to write them. It sees the writes of one
// controller, and the signals of all controllers of its manager.
import { formatObjectKey } from "../../api/gvk.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject, ObjectKey } from "../../api/object-meta.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { carriedCondition, carriedValue, describeSignal, type Signal } from "./signal.ts";

/** What a write changes, as far as its body tells. */
export interface GuardedWrite {
  readonly kind: Kind;
  readonly key: ObjectKey;
  /** The body: a manifest, or a merge patch. */
  readonly wanted: object;
  /** The object as it is known; undefined when it is not. */
  readonly current: KubeObject | undefined;
  /** The body replaces the object, so that what it leaves out is removed. */
  readonly isWhole?: boolean;
}

/** Guards the writes of one controller. */
export class SignalGuard {
  readonly #controller: string;
  readonly #signals: readonly Signal[];

  constructor(controller: string, signals: readonly Signal[]) {
    this.#controller = controller;
    this.#signals = signals;
  }

  /** @throws ERR_SIGNAL_WRITER for a signal that another controller is to write */
  check(write: GuardedWrite): void {
    for (const signal of this.#signals) {
      if (signal.on.kind !== write.kind.kind || signal.on.apiVersion !== write.kind.apiVersion)
        continue;
      const change = changeOf(signal, write);
      if (change === "sets" && !signal.setBy.includes(this.#controller))
        throw refusal(this.#controller, signal, write, [change, signal.setBy]);
      if (change === "clears" && !signal.clearedBy.includes(this.#controller))
        throw refusal(this.#controller, signal, write, [change, signal.clearedBy]);
    }
  }
}

function refusal(
  controller: string,
  signal: Signal,
  { kind, key }: GuardedWrite,
  [change, names]: readonly [change: string, names: readonly string[]],
): HomeostatError {
  const writers = names.map((one) => `"${one}"`).join(" or ");
  return new HomeostatError(
    "ERR_SIGNAL_WRITER",
    `"${controller}" ${change} ${describeSignal(signal)} of ${kind.kind} ${formatObjectKey(key)}, which only ${writers} ${change}`,
    { hint: "leave it to that controller, or name this one in `setBy` or `clearedBy`" },
  );
}

type Change = "sets" | "clears" | undefined;

/** The body of a write: parts of it may be missing, and null in a patch. */
interface Body {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string | null>> | null;
    readonly annotations?: Readonly<Record<string, string | null>> | null;
    readonly finalizers?: readonly string[] | null;
  };
  readonly status?: unknown;
}

function changeOf({ carrier }: Signal, write: GuardedWrite): Change {
  const { wanted, current } = write;
  const body = wanted as Body;
  const held = current && carriedValue(carrier, current);
  if ("condition" in carrier) {
    const condition = carriedCondition(carrier.condition, body);
    if (!condition) return undefined;
    if (condition.status === "True") return held === undefined ? "sets" : undefined;
    return held === undefined ? undefined : "clears";
  }
  const next = nextValue(write, body, carrier);
  if (next === undefined || next === held) return undefined;
  if (next !== null) return "sets";
  return current && held === undefined ? undefined : "clears";
}

/** The value after a write: null when it is removed, undefined when the write leaves it alone. */
function nextValue(
  { isWhole = false }: GuardedWrite,
  { metadata }: Body,
  carrier: Exclude<Signal["carrier"], { readonly condition: string }>,
): string | null | undefined {
  const missing = isWhole ? null : undefined;
  if ("finalizer" in carrier) {
    const list = metadata?.finalizers;
    if (list === undefined) return missing;
    return list?.includes(carrier.finalizer) ? "" : null;
  }
  const [map, key] =
    "label" in carrier
      ? [metadata?.labels, carrier.label]
      : [metadata?.annotations, carrier.annotation];
  if (map === null) return null;
  return map && Object.hasOwn(map, key) ? map[key]! : missing;
}
