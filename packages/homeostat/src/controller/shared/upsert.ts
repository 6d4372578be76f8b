// upsert: creates an object or changes it, from what a function makes of its current state. For
// objects that several writers share and that lists without keys or counters make unfit for apply.
// Upstream: sigs.k8s.io/controller-runtime/pkg/controller/controllerutil/controllerutil.go
// (CreateOrUpdate).
import { equalJson, type JsonObject } from "../../api/json.ts";
import type { Kind, ManifestOf, ObjectOf } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { isAlreadyExists } from "../../api/status.ts";
import type { Client, Key } from "../../client/client.ts";
import { retryOnConflict, type RetryOnConflictOptions } from "../retry-on-conflict.ts";

/**
 * Returns the manifest that the object should have; `current` is undefined when the object does not
 * exist. Called again after a conflict, so it must be pure.
 */
export type Mutate<K extends Kind> = (current: ObjectOf<K> | undefined) => ManifestOf<K>;

/** Parameters of an upsert. */
export interface Upsert {
  readonly kind: Kind;
  readonly key: Key;
  readonly mutate: (current: KubeObject | undefined) => KubeObject;
}

/**
 * Reads the object and writes what `mutate` returns for it; writes nothing when that changes
 * nothing. Metadata that `mutate` leaves out is kept.
 */
export function upsert(
  client: Client,
  { kind, key, mutate }: Upsert,
  options: RetryOnConflictOptions,
): Promise<KubeObject> {
  const write = async (current: KubeObject | undefined): Promise<KubeObject> => {
    const next = toManifest(kind, key, mutate(current), current);
    if (!current) return (await client.create(kind, next as never)) as KubeObject;
    if (equalJson(next, current as unknown as JsonObject)) return current;
    return (await client.update(kind, next as never)) as KubeObject;
  };
  return retryOnConflict(async () => {
    const current = (await client.find(kind, key)) as KubeObject | undefined;
    try {
      return await write(current);
    } catch (error) {
      if (current || !isAlreadyExists(error)) throw error;
    }
    return write((await client.get(kind, key)) as KubeObject);
  }, options);
}

/** The object to send: with its identity, the revision it was made from, and all its metadata. */
function toManifest(
  { apiVersion, kind }: Kind,
  key: Key,
  wanted: KubeObject,
  current: KubeObject | undefined,
): JsonObject {
  const { name, namespace } = typeof key === "string" ? { name: key, namespace: undefined } : key;
  const metadata = {
    ...current?.metadata,
    ...wanted.metadata,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(current
      ? { uid: current.metadata.uid, resourceVersion: current.metadata.resourceVersion }
      : {}),
  };
  return { ...wanted, apiVersion, kind, metadata } as unknown as JsonObject;
}
