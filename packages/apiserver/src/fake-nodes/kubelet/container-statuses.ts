// The statuses of containers and init containers after an action. Pure.
// Upstream: k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go (convertToAPIContainerStatuses).
import type { Container, ContainerState, ContainerStatus, Pod } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import { isSidecar, type PodTransition } from "./pod-transition.ts";

const previous = (pod: Pod, { name }: Container): ContainerStatus | undefined =>
  [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].find(
    (one) => one.name === name,
  );

const stateOf = (
  status: ContainerStatus | undefined,
): "none" | "waiting" | "running" | "terminated" =>
  (["waiting", "running", "terminated"] as const).find((name) => status?.state?.[name]) ?? "none";

/** A container status that keeps the last state and the restart count. */
function statusOf(
  { pod }: PodTransition,
  one: Container,
  now: {
    readonly state: ContainerState;
    readonly ready: boolean;
    readonly started: boolean;
  } & Partial<ContainerStatus>,
): ContainerStatus {
  const before = previous(pod, one);
  return {
    name: one.name,
    lastState: before?.lastState ?? {},
    restartCount: before?.restartCount ?? 0,
    image: one.image ?? "",
    imageID: "",
    ...now,
  };
}

function running(transition: PodTransition, one: Container): ContainerStatus {
  const { pod, environment } = transition;
  const since = previous(pod, one)?.state?.running ?? { startedAt: formatTime(environment.now) };
  const { resources = {} } = one;
  const allocated =
    resources.requests === undefined ? {} : { allocatedResources: resources.requests };
  return statusOf(transition, one, {
    state: { running: since },
    ready: environment.ready,
    started: true,
    ...allocated,
    resources,
  });
}

const exited = (
  transition: PodTransition,
  one: Container,
  exitCode: number,
  reason?: string,
): ContainerStatus =>
  statusOf(transition, one, {
    state: terminated(transition, one, exitCode, reason),
    ready: false,
    started: false,
  });

function terminated(
  { pod, environment, action }: PodTransition,
  one: Container,
  exitCode: number,
  reason?: string,
): ContainerState {
  const state = previous(pod, one)?.state;
  if (state?.terminated) return { terminated: state.terminated };
  const finishedAt = formatTime(environment.now);
  const message =
    action.act !== "evict" && action.message !== undefined ? { message: action.message } : {};
  return {
    terminated: {
      exitCode,
      reason: reason ?? (exitCode === 0 ? "Completed" : "Error"),
      ...message,
      startedAt: state?.running?.startedAt ?? finishedAt,
      finishedAt,
    },
  };
}

const waiting = (transition: PodTransition, one: Container, reason: string): ContainerStatus =>
  statusOf(transition, one, { state: { waiting: { reason } }, ready: false, started: false });

function crashed(transition: PodTransition, one: Container): ContainerStatus {
  const { pod, action } = transition;
  const { name, namespace, uid } = pod.metadata;
  const message = `back-off restarting failed container=${one.name} pod=${name}_${namespace}(${uid})`;
  const restartCount = (previous(pod, one)?.restartCount ?? 0) + 1;
  const lastState = terminated(
    { ...transition, pod: withoutTerminated(pod, one) },
    one,
    action.exitCode ?? 1,
    action.reason,
  );
  return statusOf(transition, one, {
    state: { waiting: { reason: "CrashLoopBackOff", message } },
    ready: false,
    started: false,
    restartCount,
    lastState,
  });
}

/** The pod without the terminated status of a container. */
const withoutTerminated = (pod: Pod, { name }: Container): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    containerStatuses: (pod.status?.containerStatuses ?? []).filter(
      (one) => one.name !== name || stateOf(one) === "running",
    ),
  },
});

/** The status of an app container. */
export function containerStatus(transition: PodTransition, one: Container): ContainerStatus {
  const { pod, action } = transition;
  const { act, container, exitCode = 0, reason } = action;
  const before = previous(pod, one);
  const isTarget = container === undefined || container === one.name;
  switch (act) {
    case "create":
      return waiting(
        transition,
        one,
        (pod.spec.initContainers ?? []).length > 0 ? "PodInitializing" : "ContainerCreating",
      );
    case "initialize":
      return before ?? waiting(transition, one, "PodInitializing");
    case "start":
      return stateOf(before) === "terminated" ? before! : running(transition, one);
    case "crash":
      return isTarget ? crashed(transition, one) : running(transition, one);
    case "observe":
      return stateOf(before) === "running" || !before ? running(transition, one) : before;
    case "end":
      return isTarget ? exited(transition, one, exitCode, reason) : exited(transition, one, 0);
    case "stop":
      return exited(transition, one, exitCode, reason);
    case "evict":
      return exited(transition, one, 137);
  }
}

/** The status of an init container. */
export function initContainerStatus(
  transition: PodTransition,
  one: Container,
  index: number,
): ContainerStatus {
  const { pod, action } = transition;
  const { initContainers = [] } = pod.spec;
  const before = previous(pod, one);
  const live = (): ContainerStatus =>
    isSidecar(one) ? running(transition, one) : { ...exited(transition, one, 0), ready: true };
  switch (action.act) {
    case "create":
      return waiting(transition, one, "PodInitializing");
    case "initialize": {
      const next = initContainers.findIndex((other) => !isInitialized(other, previous(pod, other)));
      return index <= next || next < 0 ? live() : waiting(transition, one, "PodInitializing");
    }
    case "start":
    case "crash":
      return live();
    case "observe":
      return isSidecar(one) && stateOf(before) === "running"
        ? running(transition, one)
        : (before ?? live());
    default:
      return stateOf(before) === "running" || (isSidecar(one) && stateOf(before) !== "terminated")
        ? exited(transition, one, 0)
        : (before ?? live());
  }
}

/** Whether an init container has completed or, as a sidecar, runs. */
export const isInitialized = (one: Container, status: ContainerStatus | undefined): boolean =>
  stateOf(status) === "terminated" || (isSidecar(one) && stateOf(status) === "running");
