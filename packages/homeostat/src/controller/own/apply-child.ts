// Brings one owned object to its desired state: creates it, or applies the difference.
import type { KubeObject } from "../../api/object-meta.ts";
import { isConflict } from "../../api/status.ts";
import type { Intent } from "./child-intent.ts";
import { findCached } from "./existing.ts";
import { isApplied, learnStored } from "./is-applied.ts";
import { refuseForeign } from "./membership.ts";
import type { OwnedSet } from "./owned-set.ts";

/** A resourceVersion that no user's object has: the server's first revision is its own. */
const neverCurrent = "1";

/** Resolves to the object as it is afterwards. @throws ERR_OWN_FOREIGN */
export async function applyChild(set: OwnedSet, intent: Intent): Promise<KubeObject> {
  const { name, namespace } = intent.metadata;
  set.assertRunning();
  const cached = findCached(set, { name, namespace });
  return updateOne(set, cached ?? (await createOne(set, intent)), intent);
}

/**
 * Creates an object that is not in the cache, or returns the one that exists. An apply with a
 * resourceVersion creates a missing object, but conflicts with an existing one, so that it never
 * changes another owner's object.
 */
async function createOne(set: OwnedSet, intent: Intent): Promise<KubeObject> {
  const createOnly = {
    ...intent,
    metadata: { ...intent.metadata, resourceVersion: neverCurrent },
  };
  try {
    const created = (await set.client.apply(set.kind, createOnly, {
      force: true,
      fieldManager: set.manager,
    })) as KubeObject;
    learnStored(set, created, intent);
    return created;
  } catch (error) {
    if (!isConflict(error)) throw error;
    const { name, namespace } = intent.metadata;
    const found = (await set.client.find(
      set.kind,
      namespace === undefined ? name : { name, namespace },
    )) as KubeObject | undefined;
    if (found) return found;
    set.overtaken(error);
    throw error;
  }
}

async function updateOne(set: OwnedSet, known: KubeObject, intent: Intent): Promise<KubeObject> {
  refuseForeign(set, known);
  if (known.metadata.deletionTimestamp !== undefined || isApplied(set, known, intent)) return known;
  const exact = { ...intent, metadata: { ...intent.metadata, uid: known.metadata.uid } };
  const applied = await applyExact(set, exact);
  learnStored(set, applied, intent);
  return applied;
}

async function applyExact(set: OwnedSet, intent: Intent): Promise<KubeObject> {
  try {
    return (await set.client.apply(set.kind, intent, {
      force: true,
      fieldManager: set.manager,
    })) as KubeObject;
  } catch (error) {
    if (isConflict(error)) set.overtaken(error);
    throw error;
  }
}
