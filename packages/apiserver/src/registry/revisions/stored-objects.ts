// Looks up stored objects for admission: the newest state, parsed once. The objects are shared and
// must not be mutated. Upstream uses informers; here the store is in the same process.
import { formatApiVersion, type JsonObject } from "homeostat/api";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { watchRevisions } from "./follow-revisions.ts";
import { splitStorageKey, storageKeyOf, storagePrefixOf } from "./storage-key.ts";
import { parseStored } from "./stored-json.ts";
import type { Revision, Store } from "../../storage/store.ts";

/** Looks up objects in their storage version. */
export interface StoredObjects {
  /** True if the kind is served. */
  serves(kind: StoredKind): boolean;
  /** Undefined if the object does not exist or its kind is not served. */
  find(kind: StoredKind, name: string, namespace?: string): JsonObject | undefined;
  /** True if a namespace has no object of the kind; costs a look-up. */
  isEmpty(kind: StoredKind, namespace: string): boolean;
  /** All objects of a kind, or of one namespace, by name. */
  list(kind: StoredKind, namespace?: string): readonly JsonObject[];
  /** One object in the version of `served`. Rejects if a conversion webhook fails. */
  read(served: ServedResource, namespace: string, name: string): Promise<JsonObject | undefined>;
  /** All objects, or those of a namespace, in the version of `served`, by key. */
  readAll(served: ServedResource, namespace: string): Promise<readonly JsonObject[]>;
  /** Calls `changed` for every change of an object of the kind from now on, until stopped. */
  watch(kind: StoredKind, changed: () => void): () => void;
}

export interface StoredKind {
  readonly group: string;
  readonly resource: string;
}

/** Looks objects of version v1 up in the store. */
export function createStoredObjects(store: Store, catalog: ResourceCatalog): StoredObjects {
  const parsed = new WeakMap<Revision, JsonObject>();
  const objectOf = (revision: Revision): JsonObject => {
    const known = parsed.get(revision) ?? parseStored(revision.bytes);
    parsed.set(revision, known);
    return known;
  };
  const counted = new Map<string, ReadonlyMap<string, number>>();
  const inVersion = (served: ServedResource, revision: Revision): Promise<JsonObject> =>
    served.codec.storageIdentity
      ? Promise.resolve(objectOf(revision))
      : convertStored(served, parseStored(revision.bytes));
  return {
    serves: ({ group, resource }) => catalog.find(group, "v1", resource) !== undefined,
    find({ group, resource }, name, namespace = "") {
      const served = catalog.find(group, "v1", resource);
      const revision = served && store.latest(storageKeyOf(served, namespace, name));
      return revision && objectOf(revision);
    },
    isEmpty({ group, resource }, namespace) {
      const served = catalog.find(group, "v1", resource);
      if (!served) return true;
      let counts = counted.get(served.storageKey);
      if (!counts) counted.set(served.storageKey, (counts = countByNamespace(store, served)));
      return !counts.get(namespace);
    },
    list({ group, resource }, namespace = "") {
      const served = catalog.find(group, "v1", resource);
      const listing = served && store.list(storagePrefixOf(served, namespace));
      return typeof listing === "object" ? Array.from(listing.items, objectOf) : [];
    },
    async read(served, namespace, name) {
      const revision = store.latest(storageKeyOf(served, namespace, name));
      return revision && (await inVersion(served, revision));
    },
    async readAll(served, namespace) {
      const listing = store.list(storagePrefixOf(served, namespace));
      return typeof listing === "object"
        ? await Promise.all(Array.from(listing.items, (revision) => inVersion(served, revision)))
        : [];
    },
    watch({ group, resource }, changed) {
      const served = catalog.find(group, "v1", resource);
      return served ? watchRevisions(store, storagePrefixOf(served, ""), changed) : () => undefined;
    },
  };
}

/** Follows how many objects of a kind each namespace has. */
function countByNamespace(store: Store, served: ServedResource): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = ({ key }: Revision, difference: number): void => {
    const { namespace } = splitStorageKey(key);
    const count = (counts.get(namespace) ?? 0) + difference;
    if (count > 0) counts.set(namespace, count);
    else counts.delete(namespace);
  };
  const prefix = storagePrefixOf(served, "");
  const listing = store.list(prefix);
  if (typeof listing === "object") for (const revision of listing.items) add(revision, 1);
  watchRevisions(store, prefix, (revision) => {
    if (revision.type === "ADDED") add(revision, 1);
    else if (revision.type === "DELETED") add(revision, -1);
  });
  return counts;
}

/** Takes over the argument. */
async function convertStored(served: ServedResource, stored: JsonObject): Promise<JsonObject> {
  const { codec } = served;
  return codec.remote && stored.apiVersion !== formatApiVersion(served)
    ? await codec.remote.fromStorage(stored)
    : codec.fromStorage(stored);
}
