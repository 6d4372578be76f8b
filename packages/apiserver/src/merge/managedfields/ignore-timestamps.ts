// Keeps the old times in managedFields when a write changes nothing else.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/equality.go.
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { managedFieldsOf, withManagedFields } from "./managed-fields.ts";

/** `next` with the times of `live` when the two are equal otherwise; else `next` itself. */
export function ignoreManagedFieldsTimestamps(next: JsonObject, live: JsonObject): JsonObject {
  const after = managedFieldsOf(next),
    before = managedFieldsOf(live);
  if (
    !after?.length ||
    after.length !== before?.length ||
    equalJson(after as Json[], before as Json[])
  )
    return next;
  if (!equalJson(after.map(withoutTime), before.map(withoutTime))) return next;
  return equalJson(withManagedFields(next, undefined), withManagedFields(live, undefined))
    ? withManagedFields(next, [...before])
    : next;
}

function withoutTime(entry: Json): Json {
  if (!isObject(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
