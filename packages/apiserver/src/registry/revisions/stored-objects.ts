// Stored objects as admission looks them up: the newest state, parsed once. They are shared, and
// nobody may change them.
// Upstream asks informers; here the store itself is as near.
import type { JsonObject } from "homeostat/api";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import { storageKeyOf, storagePrefixOf } from "./storage-key.ts";
import { parseStored } from "./stored-json.ts";
import type { Revision, Store } from "../../storage/store.ts";

/** Looks objects up, in their storage version. */
export interface StoredObjects {
  /** Whether there is such a kind. */
  serves(kind: StoredKind): boolean;
  /** undefined where the object is not there, or its kind is not served. */
  find(kind: StoredKind, name: string, namespace?: string): JsonObject | undefined;
  /** All objects of a cluster-scoped kind, by name. */
  list(kind: StoredKind): readonly JsonObject[];
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
  return {
    serves: ({ group, resource }) => catalog.find(group, "v1", resource) !== undefined,
    find({ group, resource }, name, namespace = "") {
      const served = catalog.find(group, "v1", resource);
      const revision = served && store.latest(storageKeyOf(served, namespace, name));
      return revision && objectOf(revision);
    },
    list({ group, resource }) {
      const served = catalog.find(group, "v1", resource);
      const listing = served && store.list(storagePrefixOf(served, ""));
      return typeof listing === "object" ? Array.from(listing.items, objectOf) : [];
    },
  };
}
