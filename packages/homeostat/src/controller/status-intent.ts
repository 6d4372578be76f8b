// The status that a reconcile sets, collected over its run and turned into one complete apply:
// fields and conditions that it does not set keep this manager's last value, undefined clears.
// Pure; another file does the writing.
import { cloneJson, equalJson, isObject, type Json, type JsonObject } from "../api/json.ts";
import type { Condition } from "../api/kind.ts";
import type { StructuralSchema } from "../api/resource/json-schema.ts";

/** A condition that was set. */
export interface SaidCondition {
  readonly type: string;
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
}

/** What was set so far; the last call wins. */
export interface Said {
  readonly fields: Map<string, Json | undefined>;
  readonly conditions: Map<string, SaidCondition>;
}

/** Nothing set yet. */
export function createSaid(): Said {
  return { fields: new Map(), conditions: new Map() };
}

/** Records status fields. Copies values, so that later changes by the caller have no effect. */
export function sayStatus(said: Said, fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields))
    said.fields.set(name, value === undefined ? undefined : cloneJson(value as Json));
}

/** What is needed to complete an intent. */
export interface IntentFacts {
  /** Status as this manager last applied it. */
  readonly prior: JsonObject;
  readonly generation: number | undefined;
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
export function nextStatus(said: Said, facts: IntentFacts): JsonObject | undefined {
  if (said.fields.size === 0 && said.conditions.size === 0) return undefined;
  const next: JsonObject = { ...facts.prior };
  for (const [name, value] of said.fields) {
    if (value === undefined) delete next[name];
    else {
      const kept = withoutEmpty(value, facts.schema?.properties?.[name]);
      if (kept === undefined) delete next[name];
      else next[name] = kept;
    }
  }
  const conditions = nextConditions(said.conditions, facts);
  if (conditions.length) next["conditions"] = conditions;
  if (
    facts.tracksGeneration &&
    facts.generation !== undefined &&
    !said.fields.has("observedGeneration")
  )
    next["observedGeneration"] = facts.generation;
  return equalJson(next, facts.prior) ? undefined : next;
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

function nextConditions(said: ReadonlyMap<string, SaidCondition>, facts: IntentFacts): Json[] {
  const before = (Array.isArray(facts.prior["conditions"]) ? facts.prior["conditions"] : []).filter(
    (one) => isObject(one),
  );
  const kept = before.filter((one) => !said.has(String(one["type"])));
  const spoken = [...said.values()].map((one) =>
    toCondition(
      one,
      before.find((old) => old["type"] === one.type),
      facts,
    ),
  );
  const order = new Map(before.map((one, i) => [String(one["type"]), i]));
  const rank = (one: JsonObject): number => order.get(String(one["type"])) ?? order.size;
  return [...kept, ...spoken].toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Keeps lastTransitionTime unless the status of the condition changes (api-conventions.md, "Typical
 * status properties").
 */
function toCondition(
  said: SaidCondition,
  old: JsonObject | undefined,
  { generation, now }: IntentFacts,
): JsonObject {
  const since =
    old && old["status"] === said.status && typeof old["lastTransitionTime"] === "string"
      ? old["lastTransitionTime"]
      : now;
  return {
    type: said.type,
    status: said.status,
    reason: said.reason,
    message: said.message,
    lastTransitionTime: since,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
