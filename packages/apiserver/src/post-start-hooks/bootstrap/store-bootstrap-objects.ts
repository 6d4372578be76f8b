// Stores the bootstrap objects directly, because hundreds of requests would slow the start. Stored
// objects of an earlier start stay; roles and bindings get back what they lack.
// Upstream: k8s.io/kubernetes/pkg/controlplane, pkg/registry/rbac/rest/storage_rbac.go.
import type { JsonObject } from "homeostat/api";
import { type Entropy, type Runtime, uuid } from "homeostat/runtime";
import { metadataOf, metaString } from "../../apimachinery/meta/read-meta.ts";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { attributesOf } from "../../registry/revisions/attributes.ts";
import { storageKeyOf } from "../../registry/revisions/storage-key.ts";
import { encodeObjectBytes, parseStored } from "../../registry/revisions/stored-json.ts";
import type { Revision, Store } from "../../storage/store.ts";
import { stamp } from "./bootstrap-objects.ts";
import { type BootstrapRole, reconcileRole } from "./reconcile-roles.ts";

export interface Bootstrap {
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly runtime: Runtime;
  readonly now: string;
}

/** Stores every missing object of `texts`. To be called before the server takes requests. */
export async function storeBootstrapObjects(
  texts: readonly string[],
  { store, catalog, runtime, now }: Bootstrap,
): Promise<void> {
  const served = new Map(
    catalog
      .all()
      .map((each) => [`${each.group ? `${each.group}/` : ""}${each.version} ${each.kind}`, each]),
  );
  const writes: Promise<unknown>[] = [];
  for (const blank of texts) {
    const wanted = JSON.parse(blank) as JsonObject;
    const resource = served.get(`${String(wanted["apiVersion"])} ${String(wanted["kind"])}`);
    if (!resource) continue;
    const key = storageKeyOf(resource, metaString(wanted, "namespace"), metaString(wanted, "name"));
    const found = store.latest(key);
    if (!found)
      writes.push(
        insertText(store, resource, key, {
          text: blank,
          object: wanted,
          now,
          entropy: runtime.entropy,
        }),
      );
    else if (resource.group === "rbac.authorization.k8s.io")
      writes.push(restore(store, resource, found, wanted));
  }
  await Promise.all(writes);
}

/** An object that lacks its uid, times and revision. */
export interface BlankObject {
  readonly text: string;
  /** The parsed text, if it is at hand. */
  readonly object?: JsonObject;
  readonly now: string;
  readonly entropy: Entropy;
}

/** Stores a blank object. A stored object of that key stays. */
export async function insertText(
  store: Store,
  resource: ServedResource,
  key: string,
  blank: BlankObject,
): Promise<void> {
  const uid = uuid(blank.entropy);
  const text = stamp(blank.text, blank.now, uid);
  const object = blank.object ?? (JSON.parse(blank.text) as JsonObject);
  const attributes = { ...attributesOf(resource, object), uid };
  const at = text.indexOf('"resourceVersion":"') + '"resourceVersion":"'.length;
  await store.commit(key, 0, (revision) => ({
    bytes: Buffer.from(`${text.slice(0, at)}${revision}${text.slice(at)}`),
    attributes,
    schemaEpoch: resource.schemaEpoch,
  }));
}

/** Restores a role or binding, as upstream does at every start. */
async function restore(
  store: Store,
  resource: ServedResource,
  found: Revision,
  wanted: JsonObject,
): Promise<void> {
  const restored = reconcileRole(
    parseStored(found.bytes) as BootstrapRole,
    wanted as BootstrapRole,
  );
  if (!restored) return;
  const object: JsonObject = restored;
  await store.commit(found.key, found.revision, (revision) => {
    metadataOf(object)["resourceVersion"] = String(revision);
    return {
      bytes: encodeObjectBytes(object, resource.codec.encodeStored),
      attributes: attributesOf(resource, object),
      schemaEpoch: resource.schemaEpoch,
    };
  });
}
