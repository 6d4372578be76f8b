// Pods and what makes them, as far as controllers of workloads look at them. Types and names only;
// what is not mentioned here travels through unread.
// Upstream: k8s.io/api/core/v1/types.go, k8s.io/api/apps/v1/types.go.
import type { Kind, Metadata } from "homeostat/api";
import { dynamicKind } from "homeostat/client";

/** An object as its controller reads it. */
export interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

/** meta/v1 LabelSelector. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** core/v1 PodTemplateSpec. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A condition of any of these kinds; only deployments have `lastUpdateTime`. */
export interface WorkloadCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

/** core/v1 Pod. */
export interface Pod extends Workload {
  readonly spec: {
    readonly nodeName?: string;
    readonly restartPolicy?: string;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
    readonly affinity?: Affinity;
    readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
    readonly priority?: number;
    readonly preemptionPolicy?: string;
    readonly hostNetwork?: boolean;
    readonly readinessGates?: readonly { readonly conditionType: string }[];
    readonly schedulerName?: string;
    readonly schedulingGates?: readonly unknown[];
    readonly containers: readonly PodContainer[];
    readonly initContainers?: readonly PodContainer[];
  };
  readonly status?: PodStatus;
}

/** core/v1 Container. */
export interface PodContainer {
  readonly name: string;
  readonly image?: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: object; readonly limits?: object };
  readonly ports?: readonly {
    readonly containerPort: number;
    readonly hostPort?: number;
    readonly hostIP?: string;
    readonly protocol?: string;
  }[];
}

/** core/v1 Affinity. */
export interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
    };
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number;
      readonly preference: NodeSelectorTerm;
    }[];
  };
  readonly podAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  };
  readonly podAntiAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  };
}

/** core/v1 PodAffinityTerm. */
export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelectorObject;
  readonly topologyKey: string;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelectorObject;
  readonly matchLabelKeys?: readonly string[];
}

/** core/v1 TopologySpreadConstraint. */
export interface TopologySpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains?: number;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: LabelSelectorObject;
  readonly matchLabelKeys?: readonly string[];
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
}

/** core/v1 PodStatus. */
export interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly WorkloadCondition[];
  readonly startTime?: string;
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly [field: string]: unknown;
}

/** core/v1 ContainerStatus. */
export interface ContainerStatus {
  readonly name: string;
  readonly restartCount: number;
  readonly [field: string]: unknown;
}

/** core/v1 NodeSelectorTerm. */
export interface NodeSelectorTerm {
  readonly matchExpressions?: LabelSelectorObject["matchExpressions"];
  readonly matchFields?: LabelSelectorObject["matchExpressions"];
}

/** core/v1 Toleration. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number | bigint;
}

/** core/v1 Taint. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

/** core/v1 Node. */
export interface Node extends Workload {
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
    readonly podCIDR?: string;
  };
  readonly status?: {
    readonly conditions?: readonly WorkloadCondition[];
    readonly [field: string]: unknown;
  };
}

/**
 * What keeps a number of pods: apps/v1 ReplicaSet or core/v1 ReplicationController, whose selector
 * is plain labels.
 */
export interface ReplicaKeeper extends Workload {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector?: LabelSelectorObject | Readonly<Record<string, string>>;
    readonly template?: PodTemplate;
  };
  readonly status?: ReplicaStatus;
}

/** apps/v1 ReplicaSetStatus. */
export interface ReplicaStatus {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly WorkloadCondition[];
}

/** core/v1 Namespace. */
export interface Namespace extends Workload {
  readonly status?: { readonly phase?: string };
}

/** A kind of which this much is known. */
export type WorkloadKind<O extends Workload> = Kind<O, any>;

export const namespaceKind = dynamicKind({
  apiVersion: "v1",
  kind: "Namespace",
  resource: "namespaces",
  scope: "Cluster",
}) as Kind as WorkloadKind<Namespace>;
export const nodeKind = dynamicKind({
  apiVersion: "v1",
  kind: "Node",
  resource: "nodes",
  scope: "Cluster",
}) as Kind as WorkloadKind<Node>;
export const podKind = dynamicKind({
  apiVersion: "v1",
  kind: "Pod",
  resource: "pods",
  scope: "Namespaced",
}) as Kind as WorkloadKind<Pod>;
export const replicaSetKind = dynamicKind({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  resource: "replicasets",
  scope: "Namespaced",
}) as Kind as WorkloadKind<ReplicaKeeper>;
export const replicationControllerKind = dynamicKind({
  apiVersion: "v1",
  kind: "ReplicationController",
  resource: "replicationcontrollers",
  scope: "Namespaced",
}) as Kind as WorkloadKind<ReplicaKeeper>;

/** `namespace/name` of a namespaced object. */
export const keyFor = ({ metadata: { namespace, name } }: Workload): string =>
  `${namespace ?? ""}/${name}`;

/** Wall time as objects carry it, e.g. `2024-01-01T00:00:00Z`. */
export const formatSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
