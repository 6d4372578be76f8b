// Finds kinds at run time, from cached discovery.
import type { ResourceNames } from "../../api/gvk.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { assertKind } from "../../api/check-kind.ts";
import { argumentError } from "../../util/argument-error.ts";

/** A kind with known names and unknown types. */
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

/** A resource in discovery. */
export interface DiscoveredKind extends DynamicKind, ResourceNames {
  readonly group: string;
  readonly version: string;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/**
 * Kinds by name, from cached discovery. It is fetched again when a kind is not found, and after a
 * request of the client whose path the server did not know: at most five times at once, then once
 * a second, for which lookups wait.
 */
export interface KindResolver {
  /** Rejects with ERR_DISCOVERY_NO_KIND if the server does not have it. */
  byKind(apiVersion: string, kind: string): Promise<DiscoveredKind>;
  /**
   * By plural, singular, short name or `resource.group` or `resource.version.group`, in preferred
   * versions; e.g. `deploy`, `orders.kitchen.example.com`. Kubernetes' own groups take precedence;
   * rejects with ERR_DISCOVERY_AMBIGUOUS if several others have the name.
   */
  byResource(name: string): Promise<DiscoveredKind>;
  /** All kinds, in the server's order; preferred versions first within a group. */
  all(): Promise<readonly DiscoveredKind[]>;
  /** Clears the cached discovery. */
  invalidate(): void;
}

/** Creates a kind from known names, without discovery. */
export function dynamicKind(names: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly scope: "Namespaced" | "Cluster";
}): DynamicKind {
  assertKind(names, "naming a kind by dynamicKind(…)");
  if (names.scope !== "Namespaced" && names.scope !== "Cluster")
    throw argumentError("dynamicKind(…)", names.scope, 'the scope "Namespaced" or "Cluster"');
  return names as DynamicKind;
}
