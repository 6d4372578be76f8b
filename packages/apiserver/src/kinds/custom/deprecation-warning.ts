// The warning that every response of a deprecated version carries.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
// (defaultDeprecationWarning).
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
} from "homeostat/k8s/apiextensions/v1";
import { compareKubeVersions } from "../../apimachinery/values/kube-version-order.ts";

/**
 * The text of the definition, or `g/v1beta1 Kind is deprecated; use g/v1 Kind`; undefined for
 * versions that are not deprecated.
 */
export function deprecationWarning(
  crd: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names, versions } = crd.spec;
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  const better = versions
    .filter(
      (each) => each.served && !each.deprecated && compareKubeVersions(each.name, version.name) < 0,
    )
    .map(({ name }) => name);
  const [best] = better.sort(compareKubeVersions);
  return best === undefined ? text : `${text}; use ${group}/${best} ${names.kind}`;
}
