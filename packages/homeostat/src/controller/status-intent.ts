// What a reconcile says about status, gathered over its run and turned into one complete intent:
// fields and conditions not mentioned keep what this manager said last, undefined clears. Pure; the
// writing is done elsewhere.
import { cloneJson, equalJson, isObject, type Json, type JsonObject } from "../api/json.ts";
import type { Condition } from "../api/kind.ts";
import type { StructuralSchema } from "../api/resource/json-schema.ts";

/** One condition as it was said. */
export interface SaidCondition {
  readonly type: string;
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
}

/** What was said so far; the latest word counts. */
export interface Said {
  readonly fields: Map<string, Json | undefined>;
  readonly conditions: Map<string, SaidCondition>;
}

/** Nothing said yet. */
export function createSaid(): Said {
  return { fields: new Map(), conditions: new Map() };
}

/** Records status fields. Values are copied, so that later changes by the caller do not count. */
export function sayStatus(said: Said, fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields))
    said.fields.set(name, value === undefined ? undefined : cloneJson(value as Json));
}

/** What the writer needs to know to finish an intent. */
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
 * The complete status that this manager should own, or undefined when it is what was applied last
 * (or nothing was ever said).
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
 * Leaves out objects and associative lists that hold nothing: upstream's merge turns the loss of
 * the last owned item into null, which validation then refuses. Atomic lists may be empty.
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
 * lastTransitionTime moves when the status does, and only then (api-conventions.md, "Typical status
 * properties").
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
