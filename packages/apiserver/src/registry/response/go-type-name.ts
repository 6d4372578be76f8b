// The Go type of an object in upstream, which two of its messages name.
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";

/** `*rbac.RoleList`, `*core.ConfigMap`, `*unstructured.Unstructured`. */
export function goTypeName(resource: ServedResource, kind: string): string {
  if (resource.codec.goType === "unstructured")
    return kind.endsWith("List") ? "*unstructured.UnstructuredList" : "*unstructured.Unstructured";
  const goPackage =
    resource.group === "" || resource.group === "events.k8s.io"
      ? "core"
      : resource.group.split(".", 1)[0]!;
  return `*${goPackage}.${kind}`;
}
