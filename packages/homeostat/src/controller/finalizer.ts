// Finalizers: added before the first reconcile, removed when finalize has returned. The requests
// are merge patches with the resourceVersion, never apply, because a finalizer list merged by
// ownership could resurrect or lose another writer's entry.
import { parseApiVersion } from "../api/gvk.ts";
import type { Kind } from "../api/kind.ts";
import { keyOf, type KubeObject } from "../api/object-meta.ts";
import type { Client } from "../client/client.ts";

/** The finalizer of a controller, e.g. `kitchen.example.com/order`; permanent. */
export function finalizerName(kind: Kind, controller: string, operator: string): string {
  return `${parseApiVersion(kind.apiVersion)?.group || operator}/${controller}`;
}

/** True when the object has the finalizer. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) === true;
}

/** Adds the finalizer. Rejects with Conflict when the object has changed. */
export function addFinalizer(
  client: Client,
  kind: Kind,
  object: KubeObject,
  finalizer: string,
): Promise<KubeObject> {
  return patchFinalizers(client, kind, object, [...(object.metadata.finalizers ?? []), finalizer]);
}

/** Removes only this finalizer. Rejects with Conflict when the object has changed. */
export function removeFinalizer(
  client: Client,
  kind: Kind,
  object: KubeObject,
  finalizer: string,
): Promise<KubeObject> {
  return patchFinalizers(
    client,
    kind,
    object,
    (object.metadata.finalizers ?? []).filter((one) => one !== finalizer),
  );
}

async function patchFinalizers(
  client: Client,
  kind: Kind,
  object: KubeObject,
  finalizers: readonly string[],
): Promise<KubeObject> {
  const { resourceVersion, uid } = object.metadata;
  const body = {
    metadata: { uid, resourceVersion, finalizers: finalizers.length ? finalizers : null },
  };
  return (await client.patch(kind, keyOf(object), { type: "merge", body })) as KubeObject;
}
