// The parts of a CustomResourceDefinition that serving needs, as they stand in the stored object.
// The definition has been validated and defaulted by the time it comes here; nothing is checked
// again.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go.
import type { JsonObject } from "homeostat/api";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";

/** One printer column. */
export interface CrdColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** Where the scale subresource finds its numbers, e.g. `.spec.replicas`. */
export interface CrdScale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** One version of a definition. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps };
  readonly subresources?: { readonly status?: JsonObject; readonly scale?: CrdScale };
  readonly additionalPrinterColumns?: readonly CrdColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** Names as the definition's status accepted them. */
export interface CrdNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A definition as served. */
export interface Crd {
  readonly metadata: { readonly name: string; readonly generation?: number };
  readonly spec: {
    readonly group: string;
    readonly scope: "Namespaced" | "Cluster";
    readonly names: CrdNames;
    readonly versions: readonly CrdVersion[];
    readonly preserveUnknownFields?: boolean;
    readonly conversion?: { readonly strategy?: string };
  };
  readonly status?: {
    readonly acceptedNames?: CrdNames;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** The names that are served: the accepted ones. */
export function servedNames(crd: Crd): Required<CrdNames> {
  const names = crd.status?.acceptedNames?.kind ? crd.status.acceptedNames : crd.spec.names;
  return {
    shortNames: [],
    categories: [],
    ...names,
    singular: names.singular || names.kind.toLowerCase(),
    listKind: names.listKind || `${names.kind}List`,
  };
}

/** Whether a condition of the definition is True. */
export function isCrdConditionTrue(crd: Crd, type: string): boolean {
  return (
    crd.status?.conditions?.some(
      (condition) => condition.type === type && condition.status === "True",
    ) ?? false
  );
}
