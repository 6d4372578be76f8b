// The kinds that the server serves now, kept up to date by watching definitions: what "every resource" means to the garbage
// collector and to namespace deletion.
import type { Cache, InformerLease } from "homeostat/cache";
import type { Client, DiscoveredKind } from "homeostat/client";
import { dynamicKind } from "homeostat/client";

/** Kinds by discovery; one per resource, in its preferred version. */
export interface ServedKinds {
  /** Kinds that can be deleted, listed and watched. */
  collectable(): Promise<readonly DiscoveredKind[]>;
  find(apiVersion: string, kind: string): Promise<DiscoveredKind | undefined>;
  /** Calls back when kinds may have come or gone. */
  changed(listener: () => void): { remove(): void };
  stop(): void;
}

const definitions = dynamicKind({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", resource: "customresourcedefinitions", scope: "Cluster" });
const collectVerbs = ["delete", "list", "watch"];

/** Follows the definitions of the server behind `client`. */
export function createServedKinds(client: Client, cache: Cache): ServedKinds {
  const listeners = new Set<() => void>();
  const lease: InformerLease = cache.acquire(definitions);
  const announce = (): void => {
    client.kinds.invalidate();
    for (const listener of listeners) listener();
  };
  const handler = lease.informer.addHandler({ added: announce, updated: announce, deleted: announce });
  return {
    collectable: async () => preferred((await client.kinds.all()).filter((kind) => collectVerbs.every((verb) => kind.verbs.includes(verb)))),
    find: async (apiVersion, kind) => {
      const known = await client.kinds.all();
      return known.find((one) => one.apiVersion === apiVersion && one.kind === kind);
    },
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

/** Preferred versions come first within a group, so the first of each resource is the one to use. Events live in two groups over one storage. */
function preferred(kinds: readonly DiscoveredKind[]): readonly DiscoveredKind[] {
  const seen = new Set<string>();
  return kinds.filter((kind) => {
    const id = kind.resource === "events" && (kind.group === "" || kind.group === "events.k8s.io") ? "events" : `${kind.group}/${kind.resource}`;
    return !seen.has(id) && seen.add(id);
  });
}
