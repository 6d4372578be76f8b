// The fields that all workload kinds have, and how tables show them.
// Upstream: k8s.io/kubernetes/pkg/printers/internalversion/printers.go (layoutContainerCells,
// printReplicaSet, printReplicationController).
import type { CellAges } from "../../../apimachinery/rest/table-printer.ts";
import { type Decoded, isObject, type Json, type JsonObject } from "homeostat/api";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import type { LabelSelector } from "homeostat/k8s/meta/v1";
import type { DecodedObject } from "../../../apimachinery/meta/read-meta.ts";
import { ageOf, nameOf } from "../../printers/cells.ts";
import { formatSelector } from "../../validation/label-selectors.ts";

/** A decoded object with a pod template in its spec. */
export interface Workload extends DecodedObject {
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

interface ReplicaCounts extends Workload {
  spec?: { replicas?: number | null; template?: Decoded<PodTemplateSpec> | null } | null;
  status?: { replicas?: number | null; readyReplicas?: number | null } | null;
}

/** The cells of a ReplicaSet or a ReplicationController, without the selector. */
export const replicaCells = (workload: ReplicaCounts, ages: CellAges): readonly Json[] => [
  nameOf(workload),
  workload.spec?.replicas ?? 0,
  workload.status?.replicas ?? 0,
  workload.status?.readyReplicas ?? 0,
  ageOf(workload, ages),
  ...containerCells(templateOf(workload)),
];

/** See `convertUnset`: the internal type counts replicas where apps/v1 points to a number. */
export function setNoReplicas(object: JsonObject): void {
  object.spec = { ...(isObject(object.spec) ? object.spec : {}), replicas: 0 };
}
