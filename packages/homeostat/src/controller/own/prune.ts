// Members of a set that are no longer desired: deleted, or handed over to another set.
import { keyOf, type KubeObject } from "../../api/object-meta.ts";
import { formatObjectKey } from "../../api/gvk.ts";
import { isConflict, isNotFound } from "../../api/status.ts";
import { backReferenceIndex } from "./back-reference.ts";
import { existing } from "./existing.ts";
import { inLanes } from "./in-lanes.ts";
import { isInOtherSet, isMember } from "./membership.ts";
import { type OwnedSet, parallelWrites } from "./owned-set.ts";

/** Members that are not desired; keys are `namespace/name` or `name`. */
export function undesired(set: OwnedSet, desired: ReadonlySet<string>): readonly KubeObject[] {
  const { uid } = set.owner.metadata;
  const owned = existing(set, [
    ...set.informer.unchecked.byIndex("owner", uid),
    ...set.informer.unchecked.byIndex(backReferenceIndex, uid),
  ]);
  return owned.filter(
    (object) => !desired.has(formatObjectKey(object.metadata)) && isMember(set, object),
  );
}

/**
 * Deletes these members. One that another set of this controller contains leaves this set instead:
 * an empty apply gives up its fields.
 */
export async function prune(set: OwnedSet, members: readonly KubeObject[]): Promise<void> {
  const present = members.filter((object) => object.metadata.deletionTimestamp === undefined);
  const others = set.memory.managers(set.kind);
  await inLanes(parallelWrites, present, async (object) => {
    set.assertRunning();
    if (isInOtherSet(set, current(set, object), others)) await giveUp(set, object);
    else await deleteMember(set, object);
  });
}

/** A later call of own() may have applied the object meanwhile. */
function current(set: OwnedSet, object: KubeObject): KubeObject {
  return (set.informer.unchecked.get(keyOf(object)) as KubeObject | undefined) ?? object;
}

async function giveUp(set: OwnedSet, { metadata }: KubeObject): Promise<void> {
  const { name, namespace, uid } = metadata;
  const { apiVersion, kind } = set.kind;
  const nothing = { apiVersion, kind, metadata: { name, namespace, uid } };
  await set.client.apply(set.kind, nothing, { force: true, fieldManager: set.manager });
}

/**
 * Deletes a child of this very uid. A 404 proves that it is gone, also when the kind is no longer
 * served; the watch that would say so may be down.
 */
export async function deleteMember(set: OwnedSet, object: KubeObject): Promise<void> {
  const { uid } = object.metadata;
  const options = { preconditions: { uid }, propagationPolicy: "Background" } as const;
  try {
    const answer = await set.client.delete(set.kind, keyOf(object), options);
    if (isStatus(answer)) set.memory.gone(uid);
  } catch (error) {
    if (isConflict(error)) set.overtaken(error);
    if (!isNotFound(error)) throw error;
    set.memory.gone(uid);
  }
}

/** A deletion is answered with the object while it still exists. */
function isStatus(answer: unknown): boolean {
  const { apiVersion, kind } = (answer ?? {}) as Partial<KubeObject>;
  return apiVersion === "v1" && kind === "Status";
}
