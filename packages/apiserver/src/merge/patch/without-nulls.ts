// Drops the nulls from values that a merge patch adds to an object. Without recursion, since
// patches may be as deep as decoders accept.
// Upstream: gopkg.in/evanphx/json-patch.v4/merge.go (pruneNulls),
// k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (discardNullValuesFromPatch).
import { cloneJson, type Json } from "homeostat/api";

/** A copy without null members, at any depth; null list items stay. */
export function withoutNulls(value: Json): Json {
  const copy = cloneJson(value);
  const open = [copy];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== "object" || at === null) continue;
    for (const [name, member] of Object.entries(at)) {
      if (member === null && !Array.isArray(at)) delete at[name];
      else if (typeof member === "object") open.push(member);
    }
  }
  return copy;
}
