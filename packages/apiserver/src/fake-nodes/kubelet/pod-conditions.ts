// The conditions of a pod after an action. Pure.
// Upstream: k8s.io/kubernetes/pkg/kubelet/status/generate.go.
import type { Pod, PodCondition, PodStatus } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import { isInitialized } from "./container-statuses.ts";
import {
  evictionMessage,
  isSidecar,
  observedGeneration,
  type PodTransition,
} from "./pod-transition.ts";

/** The statuses that the conditions follow from. */
export type ContainerStatuses = Required<
  Pick<PodStatus, "initContainerStatuses" | "containerStatuses" | "phase">
>;

/** The conditions of a pod. */
export function podConditions(
  transition: PodTransition,
  statuses: ContainerStatuses,
): readonly PodCondition[] {
  const { pod } = transition;
  const { phase, containerStatuses, initContainerStatuses } = statuses;
  const isFinished = phase === "Succeeded" || phase === "Failed";
  const incomplete = (pod.spec.initContainers ?? [])
    .filter((one, i) => !isInitialized(one, initContainerStatuses[i]))
    .map(({ name }) => name);
  const sidecars = (pod.spec.initContainers ?? [])
    .filter(isSidecar)
    .map(({ name }) => initContainerStatuses.find((one) => one.name === name)!);
  const unready = [...sidecars, ...containerStatuses]
    .filter(({ ready }) => ready !== true)
    .map(({ name }) => name);
  const containersReady = readiness(phase, unready);
  const gates = (pod.spec.readinessGates ?? [])
    .map(({ conditionType }) => readinessGateMessage(pod, conditionType))
    .filter((one) => one !== undefined);
  const ready =
    Object.keys(containersReady).length > 0 || gates.length === 0
      ? containersReady
      : { reason: "ReadinessGatesNotReady", message: gates.join("; ") };
  const initialized =
    incomplete.length === 0 || isFinished
      ? {}
      : {
          reason: "ContainersNotInitialized",
          message: `containers with incomplete status: [${incomplete.join(" ")}]`,
        };
  return [
    condition(
      transition,
      "PodReadyToStartContainers",
      phase === "Running" || (phase === "Pending" && transition.action.act === "initialize")
        ? {}
        : { reason: null, message: null },
    ),
    condition(transition, "Initialized", initialized),
    condition(transition, "Ready", ready),
    condition(transition, "ContainersReady", containersReady),
    condition(transition, "PodScheduled", {}),
  ];
}

/** Why the containers are not ready; empty if they are. */
function readiness(
  phase: string,
  unready: readonly string[],
): { readonly reason?: string; readonly message?: string | null } {
  if (phase === "Succeeded") return { reason: "PodCompleted", message: null };
  if (phase === "Failed") return { reason: "PodFailed", message: null };
  return unready.length === 0
    ? {}
    : {
        reason: "ContainersNotReady",
        message: `containers with unready status: [${unready.join(" ")}]`,
      };
}

function readinessGateMessage({ status }: Pod, gate: string): string | undefined {
  const found = status?.conditions?.find(({ type }) => type === gate);
  if (!found) return `corresponding condition of pod readiness gate "${gate}" does not exist.`;
  return found.status === "True"
    ? undefined
    : `the status of pod readiness gate "${gate}" is not "True", but ${found.status}`;
}

/** A condition: False if there is a reason or message `against` it, else True. */
function condition(
  { pod, environment }: PodTransition,
  type: string,
  against: { readonly reason?: string | null; readonly message?: string | null },
): PodCondition {
  const status = Object.keys(against).length === 0 ? "True" : "False";
  const before = pod.status?.conditions?.find((one) => one.type === type);
  const since =
    before?.status === status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : formatTime(environment.now);
  return {
    type,
    ...observedGeneration(pod),
    status,
    lastTransitionTime: since,
    reason: null,
    message: null,
    ...against,
  } as PodCondition;
}

/** The DisruptionTarget condition of an evicted pod. */
export const disruptionTarget = ({ pod, environment, action }: PodTransition): PodCondition => ({
  type: "DisruptionTarget",
  ...observedGeneration(pod),
  status: "True",
  reason: "TerminationByKubelet",
  message: action.message ?? evictionMessage,
  lastTransitionTime: formatTime(environment.now),
});
