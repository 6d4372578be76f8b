// Puts the server's own objects into the store, without the way of a request: they are many, and a
// start is to be quick. What is there already, from before a restart, stays; of roles and bindings,
// what has been taken away comes back.
// Upstream: k8s.io/kubernetes/pkg/controlplane, pkg/registry/rbac/rest/storage_rbac.go.
import type { JsonObject } from "homeostat/api";
import type { Entropy, Runtime } from "homeostat/runtime";
import { metadataOf, metaString } from "../../apimachinery/meta/read-meta.ts";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { attributesOf } from "../../registry/revisions/attributes.ts";
import { storageKeyOf } from "../../registry/revisions/storage-key.ts";
import { encodeObjectBytes, parseStored } from "../../registry/revisions/stored-json.ts";
import type { Revision, Store } from "../../storage/store.ts";
import { stamp } from "./bootstrap-objects.ts";
import { reconcileRole } from "./reconcile-roles.ts";

export interface Bootstrap {
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly runtime: Runtime;
  readonly now: string;
}

/** Stores every object of `texts` that is missing. To be done before anybody else can write. */
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
      writes.push(insertText(store, resource, key, { text: blank, now, entropy: runtime.entropy }));
    else if (resource.group === "rbac.authorization.k8s.io")
      writes.push(repair(store, resource, found, wanted));
  }
  await Promise.all(writes);
}

/**
 * Stores a text that lacks its uid, times and revision; where there is an object already, that
 * stays.
 */
export async function insertText(
  store: Store,
  resource: ServedResource,
  key: string,
  blank: { readonly text: string; readonly now: string; readonly entropy: Entropy },
): Promise<void> {
  const text = stamp(blank.text, blank.now, blank.entropy);
  const facts = attributesOf(resource, JSON.parse(text) as JsonObject);
  const at = text.indexOf('"resourceVersion":"') + '"resourceVersion":"'.length;
  await store.commit(key, 0, (revision) => ({
    bytes: Buffer.from(`${text.slice(0, at)}${revision}${text.slice(at)}`),
    facts,
    schemaEpoch: resource.schemaEpoch,
  }));
}

/**
 * Roles and bindings that upstream keeps as they should be, unless an annotation says otherwise.
 */
async function repair(
  store: Store,
  resource: ServedResource,
  found: Revision,
  wanted: JsonObject,
): Promise<void> {
  const repaired = reconcileRole(parseStored(found.bytes), wanted);
  if (!repaired) return;
  await store.commit(found.key, found.revision, (revision) => {
    metadataOf(repaired)["resourceVersion"] = String(revision);
    return {
      bytes: encodeObjectBytes(repaired, resource.codec.encodeStored),
      facts: attributesOf(resource, repaired),
      schemaEpoch: resource.schemaEpoch,
    };
  });
}
