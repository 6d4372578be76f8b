// A change of a pod's status: the pod, its environment and the action of the kubelet. Pure.
import type { Container, Pod } from "homeostat/k8s/core/v1";
import type { PodAction } from "../stages/stage.ts";

/** The input of a pod status beyond the pod. */
export interface PodEnvironment {
  readonly now: number;
  readonly hostIp: string;
  /** The address of the pod, allocated on first use. */
  readonly podIp: () => string;
  /** Whether running containers are ready. */
  readonly ready: boolean;
}

/** A pod and the action that changes its status. */
export interface PodTransition {
  readonly pod: Pod;
  readonly environment: PodEnvironment;
  readonly action: PodAction;
}

export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";
/** The message of evictions without one. */
export const evictionMessage = "The node was low on resource: memory.";

/** The observed generation of a status or a condition. */
export const observedGeneration = ({ metadata }: Pod): { readonly observedGeneration?: number } =>
  metadata.generation ? { observedGeneration: Number(metadata.generation) } : {};
