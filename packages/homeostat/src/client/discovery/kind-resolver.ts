// Finds kinds at run time: the dynamic half of the client. What discovery said is kept; a miss asks
// the server again.
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";

/** A kind of which only the names are known. */
export type DynamicKind = Kind<
  KubeObject,
  Omit<KubeObject, "metadata"> & {
    readonly metadata: {
      readonly name?: string;
      readonly generateName?: string;
      readonly namespace?: string;
    } & Record<string, unknown>;
  },
  Record<string, unknown>,
  string
>;

/** What discovery tells of one resource. */
export interface DiscoveredKind extends DynamicKind {
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly singular: string;
  readonly subresources: readonly string[];
}

/** Kinds by name, from cached discovery. */
export interface KindResolver {
  /** Rejects with ERR_DISCOVERY_NO_KIND where the server has none, after asking it again. */
  byKind(apiVersion: string, kind: string): Promise<DiscoveredKind>;
  /**
   * By plural, singular, short name or `resource.group` or `resource.version.group`, in preferred
   * versions; e.g. `deploy`, `orders.kitchen.example.com`.
   */
  byResource(name: string): Promise<DiscoveredKind>;
  /** Everything the server has, in its order; preferred versions first within a group. */
  all(): Promise<readonly DiscoveredKind[]>;
  /** Forgets what was learned. */
  invalidate(): void;
}

/** A kind from names that the caller knows, without discovery. */
export function dynamicKind(names: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly scope: "Namespaced" | "Cluster";
}): DynamicKind {
  return names as DynamicKind;
}
