// The flow matcher of a server, compiled again by the first request after a FlowSchema or priority
// level has changed.
import type { Decoded } from "homeostat/api";
import type { FlowSchema, PriorityLevelConfiguration } from "homeostat/k8s/flowcontrol/v1";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import { watchRevisions } from "../registry/revisions/follow-revisions.ts";
import { storagePrefixOf } from "../registry/revisions/storage-key.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";
import type { Store } from "../storage/store.ts";
import { createFlowMatcher, type FlowMatcher } from "./match-flow-schema.ts";

const group = "flowcontrol.apiserver.k8s.io";
const schemas = { group, resource: "flowschemas" } as const;
const levels = { group, resource: "prioritylevelconfigurations" } as const;

export interface FlowSource {
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly objects: StoredObjects;
}

/** The matcher of a server; it matches nothing when FlowSchemas are not served. */
export interface Flows {
  readonly match: FlowMatcher;
  stop(): void;
}

/** Follows stored FlowSchemas until stopped. */
export function followFlowSchemas({ store, catalog, objects }: FlowSource): Flows {
  let current: FlowMatcher | undefined;
  const served = [schemas, levels].flatMap(
    ({ resource }) => catalog.find(group, "v1", resource) ?? [],
  );
  const stops = served.map((resource) =>
    watchRevisions(store, storagePrefixOf(resource, ""), () => (current = undefined)),
  );
  const compile = (): FlowMatcher =>
    createFlowMatcher(
      objects.list(schemas) as readonly Decoded<FlowSchema>[],
      objects.list(levels) as readonly Decoded<PriorityLevelConfiguration>[],
    );
  return {
    match: (user, info) => (served.length ? (current ??= compile())(user, info) : undefined),
    stop() {
      for (const stop of stops) stop();
    },
  };
}
