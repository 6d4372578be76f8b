// Stateful sets and the claims of their pods, as far as their controller looks at them; who has
// which number, and which name follows from it. Pure.
// Upstream: k8s.io/api/apps/v1/types.go,
// k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_utils.go.

import { revisionLabel } from "../../component-helpers/workloads/controller-revision.ts";
import type { StatefulSet } from "homeostat/k8s/apps/v1";
import type { Pod, EmbeddedPersistentVolumeClaim } from "homeostat/k8s/core/v1";

export const podNameLabel = "statefulset.kubernetes.io/pod-name";
export const podIndexLabel = "apps.kubernetes.io/pod-index";
const biggestOrdinal = 2 ** 31 - 1;

/** The set and the number that a pod's name tells, e.g. `web-3`; -1 where it tells none. */
export function ordinalOf({ metadata: { name } }: Pick<Pod, "metadata">): {
  readonly parent: string;
  readonly ordinal: number;
} {
  const [, parent = "", digits] = /^(.*)-([0-9]+)$/s.exec(name) ?? [];
  const ordinal = digits === undefined ? -1 : Number(digits);
  return { parent, ordinal: ordinal > biggestOrdinal ? -1 : ordinal };
}

export const startOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;
/** True for the numbers that a set has pods for. */
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
/** True when pods come and go one by one, in order. */
export const isOrdered = ({ spec }: StatefulSet): boolean =>
  spec.podManagementPolicy !== "Parallel";
/** The revision that a pod was made from; "" where it says none. */
export const revisionOfPod = ({ metadata }: Pod): string => metadata.labels?.[revisionLabel] ?? "";
