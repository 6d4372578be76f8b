// A signal between controllers: a label, an annotation, a finalizer or a condition of an object,
// with who sets it, who clears it, and by when. Pure; what declares signals is define-signal.ts.
import type { ConditionOf, Kind, ObjectOf } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { argumentError } from "../../util/argument-error.ts";
import { isOptions } from "../../util/option-faults.ts";
import type { ControllerClient } from "../controller-client.ts";

/** What carries a signal. One of them. */
export type SignalCarrier<C extends string = string> =
  | { readonly annotation: string }
  | { readonly label: string }
  | { readonly finalizer: string }
  /** Set while it is `True`. */
  | { readonly condition: C };

/** Options of a signal. */
export interface SignalOptions<K extends Kind> {
  /** For messages and the field manager: lower-case letters, digits and `-`. */
  readonly name: string;
  /** The kind of the objects that carry it. */
  readonly on: K;
  readonly carrier: SignalCarrier<ConditionOf<K>>;
  /** Names of the controllers that set it; other names for people and programs elsewhere. */
  readonly setBy: readonly string[];
  readonly clearedBy: readonly string[];
  /**
   * Time from its setting to its clearing, e.g. `"10m"`; of a finalizer, from the deletion of its
   * object. A signal that is still set then is reported. Default: no limit.
   */
  readonly within?: string | number;
}

/** The part of a context that writes of signals need. */
export interface SignalContext {
  readonly object: unknown;
  readonly client: ControllerClient;
  readonly condition: (...condition: any[]) => void;
}

/** A declared signal, for `signals` of the controllers that set, clear or read it. */
export interface Signal<K extends Kind = any> {
  readonly name: string;
  readonly on: K;
  readonly carrier: SignalCarrier;
  readonly setBy: readonly string[];
  readonly clearedBy: readonly string[];
  readonly withinMs: number | undefined;
  isSet(object: ObjectOf<K>): boolean;
  /** The value of a label or annotation, `True` of a condition; undefined when it is not set. */
  valueOf(object: ObjectOf<K>): string | undefined;
  /**
   * Sets it on an object of the context; sends nothing when it is set to `value` already. A
   * condition can be set on the reconciled object only, and `value` is its message; finalizers
   * have no value. @throws ERR_SIGNAL_WRITER
   */
  set(context: SignalContext, object: ObjectOf<K>, value?: string): Promise<void>;
  /** Clears it; sends nothing when it is not set. @throws ERR_SIGNAL_WRITER */
  clear(context: SignalContext, object: ObjectOf<K>): Promise<void>;
}

interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
}

/** The value that an object carries; undefined when the signal is not set. */
export function carriedValue(carrier: SignalCarrier, object: KubeObject): string | undefined {
  if (!isOptions(object?.metadata))
    throw argumentError(
      `a signal (${Object.entries(carrier).flat().join(" ")})`,
      object,
      "an object",
    );
  const { annotations, labels, finalizers = [] } = object.metadata;
  if ("annotation" in carrier) return annotations?.[carrier.annotation];
  if ("label" in carrier) return labels?.[carrier.label];
  if ("finalizer" in carrier) return finalizers.includes(carrier.finalizer) ? "" : undefined;
  const condition = carriedCondition(carrier.condition, object);
  return condition?.status === "True" ? "True" : undefined;
}

/** The condition of an object, or of a part of one. */
export function carriedCondition(type: string, object: object): ConditionLike | undefined {
  const { status } = object as { readonly status?: unknown };
  const { conditions } = (status ?? {}) as { conditions?: readonly ConditionLike[] };
  return Array.isArray(conditions)
    ? (conditions as readonly ConditionLike[]).find((one) => one.type === type)
    : undefined;
}

/** E.g. `the signal drained (annotation example.com/drained)`. */
export function describeSignal({ name, carrier }: Pick<Signal, "name" | "carrier">): string {
  const [[field, key] = []] = Object.entries(carrier);
  return `the signal ${name} (${field} ${key})`;
}
