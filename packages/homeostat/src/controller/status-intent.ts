// The status that a reconcile sets, collected over its run and turned into one complete apply:
// fields and conditions that it does not set keep this manager's last value, undefined clears.
// Pure; another file does the writing.
import { jsonDepthFault } from "../api/json-depth.ts";
import { cloneJson, equalJson, isObject, type Json, type JsonObject } from "../api/json.ts";
import type { Condition } from "../api/kind.ts";
import type { StructuralSchema } from "../api/resource/json-schema.ts";
import { argumentError } from "../util/argument-error.ts";
import { checkArgument } from "../util/call-options.ts";
import { HomeostatError } from "../util/homeostat-error.ts";

/** A condition that the reconcile sets. */
export interface ConditionIntent {
  readonly type: string;
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
}

/** The fields and conditions set so far; the last call wins. */
export interface StatusIntent {
  readonly fields: Map<string, Json | undefined>;
  /** Undefined removes this manager's condition. */
  readonly conditions: Map<string, ConditionIntent | undefined>;
}

/** An intent that sets nothing. */
export function createStatusIntent(): StatusIntent {
  return { fields: new Map(), conditions: new Map() };
}

const statuses: readonly unknown[] = ["True", "False", "Unknown"];

/** The server refuses the whole status for one of another type. @throws ERR_ARGUMENT */
export function checkCondition({ type, status, reason, message }: ConditionIntent): void {
  checkArgument("condition(…)", ["its type", type], "a string");
  const call = `condition("${type}", …)`;
  if (!statuses.includes(status))
    throw argumentError(call, status, 'the status "True", "False" or "Unknown"');
  checkArgument(call, ["its reason", reason], "a string");
  checkArgument(call, ["its message", message], "a string");
}

/** Records status fields. Copies values, so that later changes by the caller have no effect. */
export function setStatusFields(
  intent: StatusIntent,
  fields: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(fields))
    intent.fields.set(name, value === undefined ? undefined : copyOf(name, value as Json));
}

/** @throws ERR_STATUS_VALUE */
function copyOf(name: string, value: Json): Json {
  try {
    return cloneJson(value);
  } catch (error) {
    const fault = error instanceof RangeError ? jsonDepthFault(value) : undefined;
    throw fault === undefined ? error : statusError(name, fault);
  }
}

function statusError(name: string, fault: string): HomeostatError {
  return new HomeostatError("ERR_STATUS_VALUE", `status.${name} cannot be written: it ${fault}`, {
    hint: "pass plain JSON: copy the fields that you mean, not the object that holds them",
  });
}

/** The input beside the intent from which the next status follows. */
export interface StatusContext {
  /** Status as this manager last applied it. */
  readonly prior: JsonObject;
  readonly generation: number | undefined;
  /** The generation that any controller of the object has observed. */
  readonly observedGeneration?: number | undefined;
  /** RFC 3339, second precision. */
  readonly now: string;
  /** The schema has `status.observedGeneration`. */
  readonly tracksGeneration: boolean;
  /** The schema of status, where it is known. */
  readonly schema?: StructuralSchema | undefined;
}

/**
 * The complete status that this manager should own, or undefined when it equals the last applied
 * one (or nothing was ever set).
 */
export function nextStatus(intent: StatusIntent, context: StatusContext): JsonObject | undefined {
  if (intent.fields.size === 0 && intent.conditions.size === 0 && !isOutdated(context))
    return undefined;
  const next: JsonObject = { ...context.prior };
  for (const [name, value] of intent.fields) {
    if (value === undefined) delete next[name];
    else {
      const kept = withoutEmpty(value, context.schema?.properties?.[name]);
      if (kept === undefined) delete next[name];
      else next[name] = kept;
    }
  }
  const conditions = nextConditions(intent.conditions, context);
  if (conditions.length) next["conditions"] = conditions;
  else delete next["conditions"];
  if (
    context.tracksGeneration &&
    context.generation !== undefined &&
    !intent.fields.has("observedGeneration")
  )
    next["observedGeneration"] = Math.max(context.generation, context.observedGeneration ?? 0);
  return equalJson(next, context.prior) ? undefined : next;
}

/** This manager says of an older generation that it is the observed one. */
function isOutdated({ prior, generation, tracksGeneration }: StatusContext): boolean {
  const { observedGeneration } = prior;
  return (
    tracksGeneration &&
    generation !== undefined &&
    typeof observedGeneration === "number" &&
    observedGeneration < generation
  );
}

/**
 * Removes empty objects and associative lists: upstream's merge turns the loss of the last owned
 * item into null, which validation then rejects. Atomic lists may be empty.
 */
function withoutEmpty(value: Json, schema: StructuralSchema | undefined): Json | undefined {
  if (Array.isArray(value))
    return value.length === 0 && (schema?.["x-kubernetes-list-type"] ?? "atomic") !== "atomic"
      ? undefined
      : value;
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, child]) => {
    const rest = withoutEmpty(child, schema?.properties?.[name] ?? schema?.additionalProperties);
    return rest === undefined ? [] : [[name, rest] as const];
  });
  return kept.length ? Object.fromEntries(kept) : undefined;
}

function nextConditions(intents: StatusIntent["conditions"], context: StatusContext): Json[] {
  const before = (
    Array.isArray(context.prior["conditions"]) ? context.prior["conditions"] : []
  ).filter((one) => isObject(one));
  const kept = before.filter((one) => !intents.has(String(one["type"])));
  const changed = [...intents.values()].flatMap((one) => {
    const old = before.find(({ type }) => type === one?.type);
    return one ? [toCondition(one, old, context)] : [];
  });
  const order = new Map(before.map((one, i) => [String(one["type"]), i]));
  const rank = (one: JsonObject): number => order.get(String(one["type"])) ?? order.size;
  return [...kept, ...changed].toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Keeps lastTransitionTime unless the status of the condition changes (api-conventions.md, "Typical
 * status properties").
 */
function toCondition(
  intent: ConditionIntent,
  old: JsonObject | undefined,
  { generation, now }: StatusContext,
): JsonObject {
  const since =
    old && old["status"] === intent.status && typeof old["lastTransitionTime"] === "string"
      ? old["lastTransitionTime"]
      : now;
  return {
    type: intent.type,
    status: intent.status,
    reason: intent.reason,
    message: intent.message,
    lastTransitionTime: since,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
