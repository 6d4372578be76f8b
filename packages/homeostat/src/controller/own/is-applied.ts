// Whether an apply would change nothing: compares an intent with the fields that this manager owns,
// as the server stores them.
import { equalJson, type Json, type JsonObject } from "../../api/json.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { fingerprint, withAmounts } from "./as-stored.ts";
import type { Intent } from "./child-intent.ts";
import { appliedFields, extractFields } from "./owned-fields.ts";
import type { OwnedSet } from "./owned-set.ts";

/** True when this manager owns exactly the intent's fields, with the intent's values. */
export function isApplied(set: AppliedSet, known: KubeObject, intent: Intent): boolean {
  const applied = stored(set, known);
  if (!applied) return false;
  const asked = described(intent);
  if (equalJson(applied, asked)) return true;
  return set.memory.storedFor(idOf(set, known), fingerprint(asked)) === fingerprint(applied);
}

/** Learns how the server stores an intent that differs from the answer to its apply. */
export function learnStored(set: AppliedSet, answer: KubeObject, intent: Intent): void {
  const applied = stored(set, answer);
  const asked = described(intent);
  if (!applied || equalJson(applied, asked)) return;
  set.memory.learn(idOf(set, answer), fingerprint(asked), fingerprint(applied));
}

type AppliedSet = Pick<OwnedSet, "manager" | "memory">;

const idOf = ({ manager }: AppliedSet, { metadata }: KubeObject): string =>
  `${metadata.uid} ${manager}`;

function stored({ manager }: AppliedSet, known: KubeObject): JsonObject | undefined {
  const fields = appliedFields(known, manager, "");
  if (!fields) return undefined;
  const values = extractFields(known as unknown as JsonObject, fields) as JsonObject;
  return withAmounts(known.apiVersion, comparable(values));
}

function described(intent: Intent): JsonObject {
  return withAmounts(intent.apiVersion, comparable({ ...intent } as unknown as JsonObject));
}

/** An intent without the fields that identify the object. */
function comparable(intent: JsonObject): JsonObject {
  const { apiVersion: _a, kind: _k, metadata, ...rest } = intent;
  const { name: _n, namespace: _ns, uid: _u, ...described } = (metadata ?? {}) as JsonObject;
  return (withoutEmpty({ ...rest, metadata: described }) ?? {}) as JsonObject;
}

/** Removes nulls and empty objects and lists, which the server drops and which need no write. */
function withoutEmpty(value: Json | undefined): Json | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.length ? value : undefined;
  if (typeof value !== "object") return value;
  const kept = Object.entries(value).flatMap(([key, child]) => {
    const rest = withoutEmpty(child);
    return rest === undefined ? [] : [[key, rest] as const];
  });
  return kept.length ? Object.fromEntries(kept) : undefined;
}
