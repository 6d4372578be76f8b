// The kinds that the server serves, kept current by watching CustomResourceDefinitions. The garbage
// collector and namespace deletion need every resource.
// Upstream: k8s.io/client-go/discovery (ServerPreferredResources).
import type { Cache, InformerLease } from "homeostat/cache";
import type { Client, DiscoveredKind } from "homeostat/client";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";

/** Kinds by discovery. */
export interface ServedKinds {
  /** Kinds that can be deleted, each resource in its preferred version. */
  deletable(): Promise<readonly DiscoveredKind[]>;
  /** A kind in any version served. */
  find(apiVersion: string, kind: string): Promise<DiscoveredKind | undefined>;
  /** Calls `listener` when the kinds served may have changed. */
  changed(listener: () => void): { remove(): void };
  stop(): void;
}

/** Watches the definitions of the server behind `client`. */
export function createServedKinds(client: Client, cache: Cache): ServedKinds {
  const listeners = new Set<() => void>();
  const lease: InformerLease = cache.acquire(CustomResourceDefinition);
  const announce = (): void => {
    client.kinds.invalidate();
    for (const listener of listeners) listener();
  };
  const handler = lease.informer.addHandler({
    added: announce,
    updated: announce,
    deleted: announce,
  });
  return {
    deletable: async () =>
      preferred((await client.kinds.all()).filter((kind) => kind.verbs.includes("delete"))),
    find: async (apiVersion, kind) =>
      (await client.kinds.all()).find((one) => one.apiVersion === apiVersion && one.kind === kind),
    changed(listener) {
      listeners.add(listener);
      return { remove: () => void listeners.delete(listener) };
    },
    stop() {
      handler.remove();
      lease.release();
    },
  };
}

/** Discovery lists preferred versions first within a group: the first of each resource is kept. */
function preferred(kinds: readonly DiscoveredKind[]): readonly DiscoveredKind[] {
  const seen = new Set<string>();
  return kinds.filter(({ group, resource }) => {
    const id = `${group}/${resource}`;
    return !seen.has(id) && seen.add(id);
  });
}
