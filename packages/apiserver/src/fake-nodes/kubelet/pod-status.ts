// The status of a pod after an action on its containers: phase, conditions, container statuses and
// addresses. Pure.
// Upstream: k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go (generateAPIPodStatus, getPhase).
import type { ContainerStatus, Pod, PodPhase, PodStatus } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import type { PodAction } from "../stages/stage.ts";
import { containerStatus, initContainerStatus } from "./container-statuses.ts";
import { disruptionTarget, podConditions } from "./pod-conditions.ts";
import {
  evictionMessage,
  observedGeneration,
  type PodEnvironment,
  type PodTransition,
} from "./pod-transition.ts";

/** The status of a pod after an action. */
export function podStatusAfter(
  pod: Pod,
  action: PodAction,
  environment: PodEnvironment,
): PodStatus {
  const transition: PodTransition = { pod, environment, action };
  const { initContainers = [], containers } = pod.spec;
  const initContainerStatuses = initContainers.map((one, i) =>
    initContainerStatus(transition, one, i),
  );
  const containerStatuses = containers.map((one) => containerStatus(transition, one));
  const phase = phaseOf(transition, containerStatuses);
  return {
    phase,
    ...observedGeneration(pod),
    ...(action.act === "evict"
      ? { reason: action.reason ?? "Evicted", message: action.message ?? evictionMessage }
      : {}),
    hostIP: environment.hostIp,
    hostIPs: [{ ip: environment.hostIp }],
    startTime: pod.status?.startTime ?? formatTime(environment.now),
    ...(phase === "Pending" ? {} : addressOf(transition)),
    ...(initContainers.length > 0 ? { initContainerStatuses } : {}),
    containerStatuses,
    conditions: [
      ...podConditions(transition, { initContainerStatuses, containerStatuses, phase }),
      ...(action.act === "evict" ? [disruptionTarget(transition)] : []),
    ],
  };
}

function addressOf({ pod, environment }: PodTransition): PodStatus {
  const ip = pod.spec.hostNetwork ? environment.hostIp : environment.podIp();
  return { podIP: ip, podIPs: [{ ip }] };
}

function phaseOf({ pod, action }: PodTransition, statuses: readonly ContainerStatus[]): PodPhase {
  if (action.act === "create" || action.act === "initialize") return "Pending";
  if (action.act === "evict") return "Failed";
  if (action.act !== "end" && action.act !== "stop")
    return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed"
      ? pod.status.phase
      : "Running";
  const codes = statuses.map(({ state }) => state?.terminated?.exitCode ?? 0);
  return codes.every((code) => code === 0) ? "Succeeded" : "Failed";
}
