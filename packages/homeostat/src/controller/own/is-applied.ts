// Whether an apply would change nothing: compares an intent with the fields that this manager owns.
// Pure.
import { equalJson, type Json, type JsonObject } from "../../api/json.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import type { Intent } from "./child-intent.ts";
import { appliedFields, extractFields } from "./owned-fields.ts";

/** True when this manager owns exactly the intent's fields, with the intent's values. */
export function isApplied(
  { manager }: { readonly manager: string },
  known: KubeObject,
  intent: Intent,
): boolean {
  const fields = appliedFields(known, manager, "");
  if (!fields) return false;
  const applied = extractFields(known as unknown as JsonObject, fields) as JsonObject;
  return equalJson(comparable(applied), comparable({ ...intent } as unknown as JsonObject));
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
