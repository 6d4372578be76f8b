// Finds kinds at run time, from cached discovery.
import { parseApiVersion, type ResourceNames } from "../../api/gvk.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { assertKind } from "../../api/check-kind.ts";
import { argumentError } from "../../util/argument-error.ts";
import { isOptions } from "../../util/option-faults.ts";

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

/** Each by name: what is missing is most likely `resource`. */
function checkNames(names: unknown): void {
  if (!isOptions(names)) assertKind(names, "naming a kind by dynamicKind(…)");
  for (const field of ["apiVersion", "kind", "resource"]) {
    const given = (names as Readonly<Record<string, unknown>>)[field];
    if (typeof given !== "string" || given === "")
      throw argumentError(`dynamicKind(…): ${field}`, given, expectedNames[field]!);
  }
  const { apiVersion } = names as { readonly apiVersion: string };
  if (parseApiVersion(apiVersion) === undefined)
    throw argumentError("dynamicKind(…): apiVersion", apiVersion, expectedNames["apiVersion"]!);
}

const expectedNames: Readonly<Record<string, string>> = {
  apiVersion: 'a group and version such as "apps/v1", or "v1"',
  kind: 'a kind such as "Deployment"',
  resource: 'its plural as paths have it, such as "deployments"',
};

/** Creates a kind from known names, without discovery. */
export function dynamicKind(names: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly scope: "Namespaced" | "Cluster";
}): DynamicKind {
  checkNames(names);
  if (names.scope !== "Namespaced" && names.scope !== "Cluster")
    throw argumentError("dynamicKind(…)", names.scope, 'the scope "Namespaced" or "Cluster"');
  return names as DynamicKind;
}
