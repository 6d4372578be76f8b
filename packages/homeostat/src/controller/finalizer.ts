// Finalizers: added before the first reconcile, removed when finalize has returned. The requests
// are merge patches with the resourceVersion, never apply, because a finalizer list merged by
// ownership could resurrect or lose another writer's entry.
//
// Up to release 0.1 the finalizer was `<group>/<controller>`, which two operators could share. Such
// an entry is ours if managedFields say that our manager wrote it: a live object loses it when it
// gets the present name, an object in deletion when finalize has returned.
import { isObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import { keyOf, type KubeObject } from "../api/object-meta.ts";
import { isNotFound } from "../api/status.ts";
import type { Client } from "../client/client.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { ControllerNames } from "./names.ts";
import { managedEntries } from "./own/owned-fields.ts";
import { isReplaced } from "./is-replaced.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";

/** What the requests need. */
export interface FinalizerDependencies {
  readonly client: Client;
  readonly kind: Kind;
  readonly runtime: Runtime;
  readonly names: ControllerNames;
}

/** This controller's finalizers on an object, a former one included. */
export function ourFinalizers(object: KubeObject, names: ControllerNames): readonly string[] {
  const { finalizer, formerFinalizer, managers } = names;
  return (object.metadata.finalizers ?? []).filter(
    (one) => one === finalizer || (one === formerFinalizer && wrote(object, managers, one)),
  );
}

/** True when the object has the finalizer, and no former one of ours. */
export function hasFinalizer(object: KubeObject, names: ControllerNames): boolean {
  const ours = ourFinalizers(object, names);
  return ours.length === 1 && ours[0] === names.finalizer;
}

/**
 * Adds the finalizer in place of a former one. Resolves to undefined when the object is gone or
 * being deleted.
 */
export function addFinalizer(
  dependencies: FinalizerDependencies,
  object: KubeObject,
): Promise<KubeObject | undefined> {
  const { names } = dependencies;
  return patchFinalizers(dependencies, object, (live) => {
    if (live.metadata.deletionTimestamp !== undefined) return undefined;
    return [...withoutOurs(live, names), names.finalizer];
  });
}

/** Removes only this controller's finalizers. Also resolves when the object is gone. */
export async function removeFinalizer(
  dependencies: FinalizerDependencies,
  object: KubeObject,
): Promise<void> {
  const { names } = dependencies;
  await patchFinalizers(dependencies, object, (live) =>
    ourFinalizers(live, names).length === 0 ? undefined : withoutOurs(live, names),
  );
}

function withoutOurs(object: KubeObject, names: ControllerNames): readonly string[] {
  const ours = ourFinalizers(object, names);
  return (object.metadata.finalizers ?? []).filter((one) => !ours.includes(one));
}

/** Patches what `next` returns for the live object; nothing when it returns undefined. */
function patchFinalizers(
  { client, kind, runtime }: FinalizerDependencies,
  object: KubeObject,
  next: (live: KubeObject) => readonly string[] | undefined,
): Promise<KubeObject | undefined> {
  const key = keyOf(object);
  return retryOnConflict(
    async (attempt) => {
      const live =
        attempt === 0 ? object : ((await client.find(kind, key)) as KubeObject | undefined);
      if (live?.metadata.uid !== object.metadata.uid) return undefined;
      const finalizers = next(live);
      if (!finalizers) return undefined;
      const { resourceVersion, uid } = live.metadata;
      const body = {
        metadata: { uid, resourceVersion, finalizers: finalizers.length ? finalizers : null },
      };
      try {
        return (await client.patch(kind, key, { type: "merge", body })) as KubeObject;
      } catch (error) {
        if (isNotFound(error) && (await isReplaced(client, kind, object.metadata)))
          return undefined;
        throw error;
      }
    },
    { runtime },
  );
}

/** True when one of the managers wrote this entry of the list of finalizers. */
function wrote(object: KubeObject, managers: readonly string[], finalizer: string): boolean {
  return managedEntries(object).some(({ manager, fieldsV1 }) => {
    const metadata = isObject(fieldsV1) ? fieldsV1["f:metadata"] : undefined;
    const finalizers = isObject(metadata) ? metadata["f:finalizers"] : undefined;
    return (
      managers.includes(String(manager)) &&
      isObject(finalizers) &&
      Object.hasOwn(finalizers, `v:${JSON.stringify(finalizer)}`)
    );
  });
}
