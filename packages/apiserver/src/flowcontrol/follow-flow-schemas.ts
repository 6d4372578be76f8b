// The flows of requests, kept in step with the stored FlowSchemas and their levels: read anew by
// the first request after a change.
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import { storagePrefixOf } from "../registry/revisions/storage-key.ts";
import type { Store } from "../storage/store.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";
import { createFlowMatcher, type FlowMatcher } from "./match-flow-schema.ts";

const group = "flowcontrol.apiserver.k8s.io";
const schemas = { group, resource: "flowschemas" } as const;
const levels = { group, resource: "prioritylevelconfigurations" } as const;

export interface FlowSource {
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly objects: StoredObjects;
}

/** Flows of a server; none where FlowSchemas are not served. */
export interface Flows {
  readonly match: FlowMatcher;
  stop(): void;
}

/** Follows until stopped. */
export function followFlowSchemas({ store, catalog, objects }: FlowSource): Flows {
  let current: FlowMatcher | undefined;
  const served = [schemas, levels].flatMap(
    ({ resource }) => catalog.find(group, "v1", resource) ?? [],
  );
  const watches = served.map((each) =>
    store.since(storagePrefixOf(each, ""), store.revision(), () => (current = undefined)),
  );
  return {
    match: (user, info) =>
      served.length
        ? (current ??= createFlowMatcher(objects.list(schemas), objects.list(levels)))(user, info)
        : undefined,
    stop() {
      for (const watch of watches) if (typeof watch === "object") watch.stop();
    },
  };
}
