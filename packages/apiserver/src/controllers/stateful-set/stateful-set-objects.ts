// Stateful sets and the claims of their pods, as far as their controller looks at them; who has
// which number, and which name follows from it. Pure.
// Upstream: k8s.io/api/apps/v1/types.go,
// k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_utils.go.
import type { Kind, Metadata } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import { revisionLabel } from "../../component-helpers/workloads/controller-revision.ts";
import type {
  LabelSelectorObject,
  Pod,
  PodTemplate,
  Workload,
  WorkloadKind,
} from "../../component-helpers/workloads/workload-objects.ts";

/** apps/v1 StatefulSet. */
export interface StatefulSet extends Workload {
  readonly spec: {
    readonly replicas: number;
    readonly selector: LabelSelectorObject;
    readonly serviceName?: string;
    readonly template: PodTemplate;
    readonly podManagementPolicy?: string;
    readonly updateStrategy: {
      readonly type: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly ordinals?: { readonly start?: number };
    readonly volumeClaimTemplates?: readonly ClaimTemplate[];
    readonly persistentVolumeClaimRetentionPolicy?: RetentionPolicy;
  };
  readonly status?: StatefulSetStatus;
}

/** apps/v1 StatefulSetPersistentVolumeClaimRetentionPolicy. */
export interface RetentionPolicy {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

/** apps/v1 StatefulSetStatus. */
export interface StatefulSetStatus {
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly currentReplicas?: number;
  readonly updatedReplicas?: number;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly observedGeneration?: number;
  readonly collisionCount?: number;
}

/** A claim as a set's template has it. */
export interface ClaimTemplate {
  readonly metadata: Pick<Metadata, "name" | "labels" | "annotations">;
  readonly spec?: unknown;
}

/** core/v1 PersistentVolumeClaim. */
export interface Claim extends Workload {
  readonly spec?: unknown;
}

/** A volume of a pod. */
export interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
}

export const statefulSetKind = dynamicKind({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  resource: "statefulsets",
  scope: "Namespaced",
}) as Kind as WorkloadKind<StatefulSet>;
export const claimKind = dynamicKind({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  resource: "persistentvolumeclaims",
  scope: "Namespaced",
}) as Kind as WorkloadKind<Claim>;

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
  ordinal >= startOrdinal(set) && ordinal < startOrdinal(set) + set.spec.replicas;
export const podNameFor = ({ metadata }: StatefulSet, ordinal: number): string =>
  `${metadata.name}-${ordinal}`;
export const claimNameFor = (
  { metadata }: StatefulSet,
  template: ClaimTemplate,
  ordinal: number,
): string => `${template.metadata.name}-${metadata.name}-${ordinal}`;
export const claimTemplates = ({ spec }: StatefulSet): readonly ClaimTemplate[] =>
  spec.volumeClaimTemplates ?? [];
/** True when pods come and go one by one, in order. */
export const isOrdered = ({ spec }: StatefulSet): boolean =>
  spec.podManagementPolicy !== "Parallel";
/** The revision that a pod was made from; "" where it says none. */
export const revisionOfPod = ({ metadata }: Pod): string => metadata.labels?.[revisionLabel] ?? "";
