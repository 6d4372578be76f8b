// The fields that all workload kinds have, and how tables show them.
// Upstream: k8s.io/kubernetes/pkg/printers/internalversion/printers.go (layoutContainerCells).
import type { Decoded } from "homeostat/api";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import type { LabelSelector, ObjectMeta } from "homeostat/k8s/meta/v1";
import { formatSelector } from "../../validation/label-selectors.ts";

/** A decoded object with a pod template in its spec. */
export interface Workload {
  metadata?: Decoded<Pick<ObjectMeta, "name" | "generation">> | null;
  spec?: { template?: Decoded<PodTemplateSpec> | null } | null;
}

/** The pod template of a workload; empty when absent. */
export const templateOf = (workload: Workload): Decoded<PodTemplateSpec> =>
  workload.spec?.template ?? {};

/** Names and images of the template's containers, as wide tables show them. */
export function containerCells(
  template: Decoded<PodTemplateSpec>,
): readonly [names: string, images: string] {
  const containers = template.spec?.containers ?? [];
  return [
    containers.map(({ name }) => name ?? "").join(","),
    containers.map(({ image }) => image ?? "").join(","),
  ];
}

/** A label selector as tables show it; `<none>` when it is absent or empty. */
export const selectorCell = (selector: Decoded<LabelSelector> | null | undefined): string =>
  selector ? formatSelector(selector) : "<none>";
