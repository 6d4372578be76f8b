// Ordinals of a StatefulSet, and the names that follow from them. Pure.
// Upstream: k8s.io/api/apps/v1/types.go,
// k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_utils.go.

import { revisionLabel } from "../../component-helpers/workloads/controller-revision.ts";
import type { StatefulSet } from "homeostat/k8s/apps/v1";
import type { Pod, EmbeddedPersistentVolumeClaim } from "homeostat/k8s/core/v1";

export const podNameLabel = "statefulset.kubernetes.io/pod-name";
export const podIndexLabel = "apps.kubernetes.io/pod-index";
const biggestOrdinal = 2 ** 31 - 1;

/** The set and the ordinal of a pod's name, e.g. `web-3`; -1 if the name has none. */
export function ordinalOf({ metadata: { name } }: Pick<Pod, "metadata">): {
  readonly parent: string;
  readonly ordinal: number;
} {
  const [, parent = "", digits] = /^(.*)-([0-9]+)$/s.exec(name) ?? [];
  const ordinal = digits === undefined ? -1 : Number(digits);
  return { parent, ordinal: ordinal > biggestOrdinal ? -1 : ordinal };
}

export const startOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;
/** True for ordinals in the range of the set. */
export const isInRange = (set: StatefulSet, ordinal: number): boolean =>
  ordinal >= startOrdinal(set) && ordinal < startOrdinal(set) + (set.spec.replicas ?? 0);
export const podNameFor = ({ metadata }: StatefulSet, ordinal: number): string =>
  `${metadata.name}-${ordinal}`;
export const claimNameFor = (
  { metadata }: StatefulSet,
  template: EmbeddedPersistentVolumeClaim,
  ordinal: number,
): string => `${volumeName(template)}-${metadata.name}-${ordinal}`;
/** The name of the volume that mounts a claim of the template. */
export const volumeName = ({ metadata }: EmbeddedPersistentVolumeClaim): string =>
  metadata?.name ?? "";
export const claimTemplates = ({ spec }: StatefulSet): readonly EmbeddedPersistentVolumeClaim[] =>
  spec.volumeClaimTemplates ?? [];
/** True when pods are created and deleted one at a time, in order. */
export const isOrdered = ({ spec }: StatefulSet): boolean =>
  spec.podManagementPolicy !== "Parallel";
/** The revision of a pod; "" if unlabelled. */
export const revisionOfPod = ({ metadata }: Pod): string => metadata.labels?.[revisionLabel] ?? "";
