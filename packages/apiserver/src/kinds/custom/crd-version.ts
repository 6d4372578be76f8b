// A valid CustomResourceDefinition, of which versions are served. It has been validated and
// defaulted; nothing is checked again.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go.
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from "homeostat/k8s/apiextensions/v1";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";

/** One version of a definition, its schema in the form that this server compiles. */
export type CrdVersion = Omit<CustomResourceDefinitionVersion, "schema"> & {
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps };
};

/** A definition as served. */
export type Crd = Pick<CustomResourceDefinition, "metadata" | "status"> & {
  readonly spec: Omit<CustomResourceDefinitionSpec, "versions"> & {
    readonly versions: readonly CrdVersion[];
  };
};

/** The names that are served: those that the status has accepted. */
export function servedNames(crd: Crd): Required<CustomResourceDefinitionNames> {
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
