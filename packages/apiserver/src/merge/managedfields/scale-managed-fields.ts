// Converts the managedFields entries that own the replicas between a parent and its Scale.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go.
import type { Json } from "homeostat/api";
import { type FieldPath, fieldElement } from "../fieldpath/field-path.ts";
import { difference, type FieldSet, fieldSetOf, hasPath } from "../fieldpath/field-set.ts";
import { decodeManagedFields, encodeManagedFields } from "./managed-fields.ts";
import type { VersionedSet } from "./managers.ts";

/**
 * Path of the replicas of a parent by apiVersion, e.g. ["spec", "replicas"]; null for a version
 * without scale.
 */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | null>;

const scaleApiVersion = "autoscaling/v1";
const scalePath: FieldPath = [fieldElement("spec"), fieldElement("replicas")];
const scaleSet: FieldSet = fieldSetOf([scalePath]);

const pathIn = (paths: ReplicasPaths, apiVersion: string): FieldPath | undefined =>
  paths.get(apiVersion)?.map(fieldElement);

/**
 * The managedFields of the Scale, from those of its parent. Throws {@link MergeError} for malformed
 * entries.
 */
export function toScaleManagedFields(
  parentFields: readonly Json[] | undefined,
  paths: ReplicasPaths,
): Json[] | undefined {
  const { managers, times } = decodeManagedFields(parentFields);
  const out = new Map<string, VersionedSet>();
  for (const [id, owner] of managers) {
    const path = pathIn(paths, owner.apiVersion);
    if (path && hasPath(owner.set, path))
      out.set(id, { ...owner, set: scaleSet, apiVersion: scaleApiVersion });
  }
  return encodeManagedFields({ managers: out, times });
}

/**
 * The parent's managedFields after a write of its Scale. Managers that lost the replicas in the
 * Scale lose them in the parent; managers that gained them get an entry in the parent's version.
 * Entries of versions that `paths` lacks are dropped.
 */
export function toParentManagedFields(
  parentFields: readonly Json[] | undefined,
  scaleFields: readonly Json[] | undefined,
  paths: ReplicasPaths,
  apiVersion: string,
): Json[] | undefined {
  const parent = decodeManagedFields(parentFields),
    scale = decodeManagedFields(scaleFields);
  const out = new Map<string, VersionedSet>(),
    times = new Map<string, string>();
  const keep = (id: string, owner: VersionedSet, time: string | undefined): void => {
    out.set(id, owner);
    if (time !== undefined) times.set(id, time);
  };
  for (const [id, owner] of parent.managers) {
    if (!paths.has(owner.apiVersion)) continue;
    const path = pathIn(paths, owner.apiVersion);
    const stolen = path && hasPath(owner.set, path) && !scale.managers.has(id);
    const set = stolen ? difference(owner.set, fieldSetOf([path])) : owner.set;
    if (!stolen || set.size) keep(id, { ...owner, set }, parent.times.get(id));
  }
  const path = pathIn(paths, apiVersion);
  for (const [id, owner] of scale.managers) {
    const known = parent.managers.get(id),
      knownPath = known && pathIn(paths, known.apiVersion);
    if (known && knownPath && hasPath(known.set, knownPath)) continue;
    if (path && hasPath(owner.set, scalePath))
      keep(
        id,
        { set: fieldSetOf([path]), apiVersion, applied: owner.applied },
        parent.times.get(id),
      );
  }
  return encodeManagedFields({ managers: out, times });
}
