// Fields of identity and bookkeeping, which no manager owns.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/internal/stripmeta.go.
import { fieldElement } from "../fieldpath/field-path.ts";
import { difference, type FieldSet, fieldSetOf } from "../fieldpath/field-set.ts";
import type { Managers, VersionedSet } from "./managers.ts";

/** A set of paths of field names. */
export const namedPathSet = (paths: readonly (readonly string[])[]): FieldSet =>
  fieldSetOf(paths.map((path) => path.map(fieldElement)));

const strippedFields = namedPathSet([
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["metadata", name]),
]);

/** Strips these fields from one manager, which is dropped when it owns nothing else. */
export function stripMeta(managers: Managers, id: string): Managers {
  const owner = managers.get(id);
  if (!owner) return managers;
  const set = difference(owner.set, strippedFields);
  const out = new Map<string, VersionedSet>(managers);
  if (set.size) out.set(id, { ...owner, set });
  else out.delete(id);
  return out;
}
