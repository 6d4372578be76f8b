// Every container of a PodSpec with its path, in the order in which upstream visits them.
// Upstream: k8s.io/kubernetes/pkg/apis/core/pods/helpers.go (VisitContainersWithPath).
import type { JsonObject } from "homeostat/api";
import { itemsAt } from "../../../apimachinery/meta/read-fields.ts";

/** Init containers, containers, ephemeral containers. */
export function visitContainers<T>(
  spec: JsonObject,
  path: string,
  visit: (container: JsonObject, path: string) => readonly T[],
): T[] {
  return ["initContainers", "containers", "ephemeralContainers"].flatMap((list) =>
    itemsAt(spec, list).flatMap((container, i) =>
      visit(container, `${path ? `${path}.` : ""}${list}[${i}]`),
    ),
  );
}
