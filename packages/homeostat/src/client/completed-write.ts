// The object after a write, from the response: at its new revision, or deleted. Pure. A write that
// removes the last finalizer of an object in deletion, or deletes without grace, returns an object
// that no longer exists.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go (deleteWithoutFinalizers,
// Delete).
import { isObject, type Json, type JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import type { ObjectKey } from "../api/object-meta.ts";
import type { CompletedWrite } from "./client.ts";

/**
 * Interprets a write's response; undefined if it is not about the object itself (a Scale, a dry
 * run).
 */
export function toCompletedWrite(
  kind: Kind,
  key: ObjectKey,
  verb: "write" | "delete",
  answer: Json,
): CompletedWrite | undefined {
  if (!isObject(answer)) return undefined;
  if (answer["kind"] === "Status" && answer["apiVersion"] === "v1")
    return verb === "delete"
      ? gone(kind, key, isObject(answer["details"]) ? answer["details"]["uid"] : undefined)
      : undefined;
  const metadata = answer["metadata"];
  if (
    answer["kind"] !== kind.kind ||
    answer["apiVersion"] !== kind.apiVersion ||
    !isObject(metadata)
  )
    return undefined;
  const name = String(metadata["name"]);
  const actual =
    typeof metadata["namespace"] === "string"
      ? { namespace: metadata["namespace"], name }
      : { name };
  return isGone(metadata, verb)
    ? gone(kind, actual, metadata["uid"])
    : { kind, key: actual, object: answer };
}

function isGone(metadata: JsonObject, verb: "write" | "delete"): boolean {
  const finalizers = metadata["finalizers"];
  if (Array.isArray(finalizers) && finalizers.length > 0) return false;
  if (metadata["deletionTimestamp"] === undefined) return verb === "delete";
  return !metadata["deletionGracePeriodSeconds"];
}

function gone(kind: Kind, key: ObjectKey, uid: Json | undefined): CompletedWrite {
  return typeof uid === "string"
    ? { kind, key, object: undefined, deletedUid: uid }
    : { kind, key, object: undefined };
}
