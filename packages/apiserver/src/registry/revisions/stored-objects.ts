// Looks up stored objects for admission: the newest state, parsed once. The objects are shared and
// must not be mutated. Upstream uses informers; here the store is in the same process.
import { formatApiVersion, type JsonObject } from "homeostat/api";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { watchRevisions } from "./follow-revisions.ts";
import { storageKeyOf, storagePrefixOf } from "./storage-key.ts";
import { parseStored } from "./stored-json.ts";
import type { Revision, Store } from "../../storage/store.ts";

/** Looks up objects in their storage version. */
export interface StoredObjects {
  /** True if the kind is served. */
  serves(kind: StoredKind): boolean;
  /** Undefined if the object does not exist or its kind is not served. */
  find(kind: StoredKind, name: string, namespace?: string): JsonObject | undefined;
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
  const inVersion = async (served: ServedResource, revision: Revision): Promise<JsonObject> => {
    const { codec } = served;
    if (codec.storageIdentity) return objectOf(revision);
    const stored = parseStored(revision.bytes);
    return codec.remote && stored.apiVersion !== formatApiVersion(served)
      ? await codec.remote.fromStorage(stored)
      : codec.fromStorage(stored);
  };
  return {
    serves: ({ group, resource }) => catalog.find(group, "v1", resource) !== undefined,
    find({ group, resource }, name, namespace = "") {
      const served = catalog.find(group, "v1", resource);
      const revision = served && store.latest(storageKeyOf(served, namespace, name));
      return revision && objectOf(revision);
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
