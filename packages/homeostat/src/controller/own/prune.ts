// Deletes members of a set that are no longer desired.
import type { KubeObject } from "../../api/object-meta.ts";
import { isNotFound } from "../../api/status.ts";
import { inLanes } from "./in-lanes.ts";
import { isMember } from "./membership.ts";
import { type OwnedSet, parallelWrites } from "./owned-set.ts";

/** Deletes members of this set that are no longer desired. */
export async function prune(set: OwnedSet, desired: ReadonlySet<string>): Promise<void> {
  const members = (
    set.informer.byIndex("owner", set.owner.metadata.uid) as readonly KubeObject[]
  ).filter(
    (object) =>
      !desired.has(object.metadata.name) &&
      object.metadata.deletionTimestamp === undefined &&
      isMember(set, object),
  );
  await inLanes(parallelWrites, members, async ({ metadata: { name, namespace, uid } }) => {
    const key = namespace === undefined ? name : { name, namespace };
    set.assertRunning();
    await set.client
      .delete(set.kind, key, { preconditions: { uid }, propagationPolicy: "Background" })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  });
}
