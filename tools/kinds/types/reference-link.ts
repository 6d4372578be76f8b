// Links a type to its documentation: the Kubernetes API reference, or the Go documentation for
// types that no resource contains. Pure.
import { packageOf, type ModelType, type TypeModule } from "./type-modules.ts";

const goHosts: readonly (readonly [prefix: string, path: string])[] = [
  ["io.k8s.api.", "k8s.io/api/"],
  ["io.k8s.apimachinery.", "k8s.io/apimachinery/"],
  ["io.k8s.apiextensions-apiserver.", "k8s.io/apiextensions-apiserver/"],
  ["io.k8s.kube-aggregator.", "k8s.io/kube-aggregator/"],
];

/**
 * Link to a type's documentation in one minor:
 * `https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#role-v1-rbac-authorization-k8s-io`.
 */
export function referenceLink(minor: string, module: TypeModule, { facts, documented }: ModelType) {
  if (!documented) return goLink(facts.model);
  const label = groupLabel(module);
  const anchor = `${facts.goStruct.toLowerCase()}-${module.version}-${label}`;
  return `https://kubernetes.io/docs/reference/generated/kubernetes-api/${minor}/#${anchor}`;
}

/** The reference says `core` for the legacy group and `meta` for what all groups share. */
function groupLabel({ group }: TypeModule): string {
  if (group === "") return "core";
  return group === "meta.k8s.io" ? "meta" : group.replaceAll(".", "-");
}

function goLink(model: string): string {
  const [prefix, path] = goHosts.find(([start]) => model.startsWith(start))!;
  const folders = packageOf(model).slice(prefix.length).replaceAll(".", "/");
  return `https://pkg.go.dev/${path}${folders}#${model.slice(model.lastIndexOf(".") + 1)}`;
}
