// The Go type that upstream holds an object in, because two of its messages name it.
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";

/** `*rbac.RoleList`, `*core.ConfigMap`; custom objects are all of one type. */
export function goTypeName(resource: ServedResource, kind: string): string {
  if (resource.custom)
    return kind.endsWith("List") ? "*unstructured.UnstructuredList" : "*unstructured.Unstructured";
  const goPackage =
    resource.group === "" || resource.group === "events.k8s.io"
      ? "core"
      : resource.group.split(".", 1)[0]!;
  return `*${goPackage}.${kind}`;
}
