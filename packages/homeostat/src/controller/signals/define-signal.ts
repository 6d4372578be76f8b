// Declares signals. Without a declaration such an entry is a promise that nobody keeps: any writer
// may set it, and nothing says that it was forgotten.
import { parseDuration } from "../../api/duration.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { definitionOfKind } from "../../api/resource/definition-of-kind.ts";
import { labelKeyFaults } from "../../api/selectors/syntax-rules.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../../util/option-faults.ts";
import { currentRun } from "../run/current-run.ts";
import { carriedValue, type Signal, type SignalCarrier, type SignalOptions } from "./signal.ts";
import { clearSignal, setSignal } from "./write-signal.ts";

/**
 * Declares a signal: `defineSignal({ name: "drained", on: Machine, carrier: { annotation:
 * "example.com/drained" }, setBy: ["nodes"], clearedBy: ["machines"], within: "10m" })`. @throws
 * ERR_SIGNAL_DEFINITION
 */
export function defineSignal<K extends Kind>(options: SignalOptions<K>): Signal<K> {
  checkSignal(options);
  const { name, on, setBy, clearedBy, within } = options;
  const carrier = options.carrier as SignalCarrier;
  const signal: Signal<K> = {
    name,
    on,
    carrier,
    setBy,
    clearedBy,
    withinMs: within === undefined ? undefined : parseDuration(within),
    isSet: (object) => carriedValue(carrier, object as KubeObject) !== undefined,
    valueOf: (object) => carriedValue(carrier, object as KubeObject),
    set(context, object, value) {
      currentRun.getStore()?.usedSignals?.uses(signal);
      return setSignal(signal, context, object as KubeObject, value);
    },
    clear(context, object) {
      currentRun.getStore()?.usedSignals?.uses(signal);
      return clearSignal(signal, context, object as KubeObject);
    },
  };
  return Object.freeze(signal);
}

const namePattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const known = [
  "name",
  "on",
  "carrier",
  "setBy",
  "clearedBy",
  "within",
] as const satisfies readonly (keyof SignalOptions<Kind>)[];

function checkSignal(given: SignalOptions<Kind>): void {
  const options = isOptions(given) ? given : ({} as SignalOptions<Kind>);
  const { name, on, carrier, setBy, clearedBy, within } = options;
  const carriers = Object.entries(carrier ?? {}) as readonly (readonly [string, unknown])[];
  const [field = "", key] = carriers[0] ?? [];
  const isNames = (names: unknown): boolean =>
    Array.isArray(names) && names.length > 0 && names.every((one) => typeof one === "string");
  const problems = [
    ...(isOptions(given) ? [] : [`its options are ${describeMissing(given)}, expected an object`]),
    ...unknownOptions(options, known),
    ...(typeof name === "string" && namePattern.test(name)
      ? []
      : ["name: expected lower-case letters, digits and -"]),
    ...(typeof on?.kind === "string" ? [] : ["on: expected a kind"]),
    ...(carriers.length === 1 &&
    ["annotation", "label", "finalizer", "condition"].includes(field) &&
    typeof key === "string" &&
    key !== ""
      ? []
      : ["carrier: expected one of annotation, label, finalizer and condition, with its key"]),
    ...(isNames(setBy) ? [] : ["setBy: expected names of controllers"]),
    ...(isNames(clearedBy) ? [] : ["clearedBy: expected names of controllers"]),
    ...checkKey(field, key, on),
    ...(within === undefined || isDuration(within) ? [] : ["within: expected a duration above 0"]),
  ];
  if (problems.length === 0) return;
  throw new HomeostatError(
    "ERR_SIGNAL_DEFINITION",
    `defining ${name === undefined ? "a signal" : `the signal ${JSON.stringify(name)}`}: ${problems.join("; ")}`,
    { hint: "correct what the message names" },
  );
}

/** A key that no server takes, or a condition that the kind does not declare, is never set. */
function checkKey(field: string, key: unknown, on: Kind): readonly string[] {
  if (typeof key !== "string" || key === "") return [];
  if (field !== "condition")
    return labelKeyFaults(key).map((fault) => `carrier: ${field} "${key}": ${fault}`);
  const conditions = (on && definitionOfKind(on)?.conditions) ?? [];
  if (conditions.length === 0 || conditions.includes(key)) return [];
  return [
    `carrier: ${on.kind} has no condition "${key}"; expected one of ${conditions.join(", ")}`,
  ];
}

function isDuration(within: string | number): boolean {
  try {
    return parseDuration(within) > 0;
  } catch {
    return false;
  }
}
