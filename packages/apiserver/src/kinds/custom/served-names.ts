// The names under which a definition is served.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from "homeostat/k8s/apiextensions/v1";

/** The names that are served: those that the status has accepted. */
export function servedNames(
  crd: CustomResourceDefinition,
): Required<CustomResourceDefinitionNames> {
  const names = crd.status?.acceptedNames?.kind ? crd.status.acceptedNames : crd.spec.names;
  return {
    shortNames: [],
    categories: [],
    ...names,
    singular: names.singular || names.kind.toLowerCase(),
    listKind: names.listKind || `${names.kind}List`,
  };
}
