// Every container of a PodSpec with its path, in the order in which upstream visits them.
// Upstream: k8s.io/kubernetes/pkg/apis/core/pods/helpers.go (VisitContainersWithPath).
import type { Decoded } from "homeostat/api";
import type { Container, PodSpec } from "homeostat/k8s/core/v1";
import { eachItem } from "../../../../apimachinery/errors/field-error.ts";

/** Init containers, containers, ephemeral containers. */
export function visitContainers<T>(
  spec: Decoded<PodSpec>,
  path: string,
  visit: (container: Decoded<Container>, path: string) => readonly T[],
): T[] {
  return (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((list) =>
    eachItem(spec[list], `${path ? `${path}.` : ""}${list}`, (container, at) =>
      visit(container, at),
    ),
  );
}
