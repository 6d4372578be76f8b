// The status of a pod after something has happened to its containers: phase, conditions, container
// statuses, addresses. Pure.
// Upstream: k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go (getPhase),
// pkg/kubelet/status/generate.go.
import type {
  ContainerStatus,
  Pod,
  Container,
  PodStatus,
  PodCondition,
  PodPhase,
} from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import type { PodAction } from "../stages/stage.ts";

/** What the status depends on beyond the pod. */
export interface PodWorld {
  readonly now: number;
  readonly hostIp: string;
  /** The address that the pod has or is to have. */
  readonly podIp: () => string;
  /** Whether containers that run count as ready. */
  readonly ready: boolean;
}

interface Situation {
  readonly pod: Pod;
  readonly world: PodWorld;
  readonly action: PodAction;
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";
const evicted = "The node was low on resource: memory.";

/** The part of the status that follows from an action. */
export function podStatusAfter(pod: Pod, action: PodAction, world: PodWorld): PodStatus {
  const situation: Situation = { pod, world, action };
  const { initContainers = [], containers } = pod.spec;
  const initContainerStatuses = initContainers.map((one, i) => initStatus(situation, one, i));
  const containerStatuses = containers.map((one) => mainStatus(situation, one));
  const phase = phaseOf(situation, containerStatuses);
  const isOver = phase === "Succeeded" || phase === "Failed";
  return {
    phase,
    ...observed(pod),
    ...(action.act === "evict"
      ? { reason: action.reason ?? "Evicted", message: action.message ?? evicted }
      : {}),
    hostIP: world.hostIp,
    hostIPs: [{ ip: world.hostIp }],
    startTime: pod.status?.startTime ?? formatTime(world.now),
    ...(phase === "Pending" ? {} : addressOf(situation)),
    ...(initContainers.length > 0 ? { initContainerStatuses } : {}),
    containerStatuses,
    conditions: [
      ...conditionsOf(situation, { initContainerStatuses, containerStatuses, isOver, phase }),
      ...(action.act === "evict" ? [disrupted(situation)] : []),
    ],
  };
}

function addressOf({ pod, world }: Situation): PodStatus {
  const ip = pod.spec.hostNetwork ? world.hostIp : world.podIp();
  return { podIP: ip, podIPs: [{ ip }] };
}

const previous = (pod: Pod, { name }: Container): ContainerStatus | undefined =>
  [
    ...(pod.status?.containerStatuses ?? []),
    ...((pod.status?.["initContainerStatuses"] as readonly ContainerStatus[] | undefined) ?? []),
  ].find((one) => one.name === name);

const stateOf = (
  status: ContainerStatus | undefined,
): "none" | "waiting" | "running" | "terminated" =>
  (Object.keys((status?.["state"] as object | undefined) ?? {})[0] as
    | "waiting"
    | "running"
    | "terminated"
    | undefined) ?? "none";

/** A status with what stays the same from one to the next. */
function statusOf(
  { pod }: Situation,
  one: Container,
  now: {
    readonly state: object;
    readonly ready: boolean;
    readonly started: boolean;
  } & Partial<ContainerStatus>,
): ContainerStatus {
  const before = previous(pod, one);
  return {
    name: one.name,
    lastState: before?.["lastState"] ?? {},
    restartCount: before?.restartCount ?? 0,
    image: one.image ?? "",
    imageID: "",
    ...now,
  };
}

function running(situation: Situation, one: Container): ContainerStatus {
  const { pod, world } = situation;
  const since = (previous(pod, one)?.["state"] as { readonly running?: object } | undefined)
    ?.running ?? { startedAt: formatTime(world.now) };
  const { resources = {} } = one;
  const allocated =
    resources.requests === undefined ? {} : { allocatedResources: resources.requests };
  return statusOf(situation, one, {
    state: { running: since },
    ready: world.ready,
    started: true,
    ...allocated,
    resources,
  });
}

const ended = (
  situation: Situation,
  one: Container,
  exitCode: number,
  reason?: string,
): ContainerStatus =>
  statusOf(situation, one, {
    state: terminated(situation, one, exitCode, reason),
    ready: false,
    started: false,
  });

function terminated(
  { pod, world, action }: Situation,
  one: Container,
  exitCode: number,
  reason?: string,
): object {
  const state = previous(pod, one)?.["state"] as
    | { readonly running?: { readonly startedAt?: string }; readonly terminated?: object }
    | undefined;
  if (state?.terminated) return { terminated: state.terminated };
  const finishedAt = formatTime(world.now);
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

const waiting = (situation: Situation, one: Container, reason: string): ContainerStatus =>
  statusOf(situation, one, { state: { waiting: { reason } }, ready: false, started: false });

function crashed(situation: Situation, one: Container): ContainerStatus {
  const { pod, action } = situation;
  const { name, namespace, uid } = pod.metadata;
  const message = `back-off restarting failed container=${one.name} pod=${name}_${namespace}(${uid})`;
  const restartCount = (previous(pod, one)?.restartCount ?? 0) + 1;
  const lastState = terminated(
    { ...situation, pod: withoutEnd(pod, one) },
    one,
    action.exitCode ?? 1,
    action.reason,
  );
  return statusOf(situation, one, {
    state: { waiting: { reason: "CrashLoopBackOff", message } },
    ready: false,
    started: false,
    restartCount,
    lastState,
  });
}

/** The pod as if the container had not ended before. */
const withoutEnd = (pod: Pod, { name }: Container): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    containerStatuses: (pod.status?.containerStatuses ?? []).filter(
      (one) => one.name !== name || stateOf(one) === "running",
    ),
  },
});

function mainStatus(situation: Situation, one: Container): ContainerStatus {
  const { pod, action } = situation;
  const { act, container, exitCode = 0, reason } = action;
  const before = previous(pod, one);
  const isMeant = container === undefined || container === one.name;
  switch (act) {
    case "create":
      return waiting(
        situation,
        one,
        (pod.spec.initContainers ?? []).length > 0 ? "PodInitializing" : "ContainerCreating",
      );
    case "initialize":
      return before ?? waiting(situation, one, "PodInitializing");
    case "start":
      return stateOf(before) === "terminated" ? before! : running(situation, one);
    case "crash":
      return isMeant ? crashed(situation, one) : running(situation, one);
    case "observe":
      return stateOf(before) === "running" || !before ? running(situation, one) : before;
    case "end":
      return isMeant ? ended(situation, one, exitCode, reason) : ended(situation, one, 0);
    case "stop":
      return ended(situation, one, exitCode, reason);
    case "evict":
      return ended(situation, one, 137);
  }
}

function initStatus(situation: Situation, one: Container, index: number): ContainerStatus {
  const { pod, action } = situation;
  const { initContainers = [] } = pod.spec;
  const before = previous(pod, one);
  const live = (): ContainerStatus =>
    isSidecar(one) ? running(situation, one) : { ...ended(situation, one, 0), ready: true };
  switch (action.act) {
    case "create":
      return waiting(situation, one, "PodInitializing");
    case "initialize": {
      const next = initContainers.findIndex((other) => !isInitialized(other, previous(pod, other)));
      return index <= next || next < 0 ? live() : waiting(situation, one, "PodInitializing");
    }
    case "start":
    case "crash":
      return live();
    case "observe":
      return isSidecar(one) && stateOf(before) === "running"
        ? running(situation, one)
        : (before ?? live());
    default:
      return stateOf(before) === "running" || (isSidecar(one) && stateOf(before) !== "terminated")
        ? ended(situation, one, 0)
        : (before ?? live());
  }
}

/** Through, or, for a sidecar, up. */
const isInitialized = (one: Container, status: ContainerStatus | undefined): boolean =>
  stateOf(status) === "terminated" || (isSidecar(one) && stateOf(status) === "running");

function phaseOf({ pod, action }: Situation, statuses: readonly ContainerStatus[]): PodPhase {
  if (action.act === "create" || action.act === "initialize") return "Pending";
  if (action.act === "evict") return "Failed";
  if (action.act !== "end" && action.act !== "stop")
    return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed"
      ? pod.status.phase
      : "Running";
  const codes = statuses.map(
    (one) =>
      (one["state"] as { readonly terminated?: { readonly exitCode: number } }).terminated
        ?.exitCode ?? 0,
  );
  return codes.every((code) => code === 0) ? "Succeeded" : "Failed";
}

/** Which generation of the pod a status or a condition speaks of. */
const observed = ({ metadata }: Pod): { readonly observedGeneration?: number } =>
  metadata.generation ? { observedGeneration: Number(metadata.generation) } : {};

interface Facts {
  readonly initContainerStatuses: readonly ContainerStatus[];
  readonly containerStatuses: readonly ContainerStatus[];
  readonly isOver: boolean;
  readonly phase: string;
}

function conditionsOf(situation: Situation, facts: Facts): readonly PodCondition[] {
  const { pod } = situation;
  const { isOver, phase, containerStatuses, initContainerStatuses } = facts;
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
    .map(({ conditionType }) => gateFault(pod, conditionType))
    .filter((one) => one !== undefined);
  const ready =
    Object.keys(containersReady).length > 0 || gates.length === 0
      ? containersReady
      : { reason: "ReadinessGatesNotReady", message: gates.join("; ") };
  const initialized =
    incomplete.length === 0 || isOver
      ? {}
      : {
          reason: "ContainersNotInitialized",
          message: `containers with incomplete status: [${incomplete.join(" ")}]`,
        };
  return [
    condition(
      situation,
      "PodReadyToStartContainers",
      phase === "Running" || (phase === "Pending" && situation.action.act === "initialize")
        ? {}
        : { reason: null, message: null },
    ),
    condition(
      situation,
      "Initialized",
      phase === "Succeeded"
        ? { ...initialized, ...(pod.spec.initContainers?.length ? {} : {}) }
        : initialized,
    ),
    condition(situation, "Ready", ready),
    condition(situation, "ContainersReady", containersReady),
    condition(situation, "PodScheduled", {}),
  ];
}

/** Why containers do not make the pod ready; nothing where they do. */
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

function gateFault({ status }: Pod, gate: string): string | undefined {
  const found = status?.conditions?.find(({ type }) => type === gate);
  if (!found) return `corresponding condition of pod readiness gate "${gate}" does not exist.`;
  return found.status === "True"
    ? undefined
    : `the status of pod readiness gate "${gate}" is not "True", but ${found.status}`;
}

/** True unless something is said against it. */
function condition(
  { pod, world }: Situation,
  type: string,
  against: { readonly reason?: string | null; readonly message?: string | null },
): PodCondition {
  const status = Object.keys(against).length === 0 ? "True" : "False";
  const before = pod.status?.conditions?.find((one) => one.type === type);
  const since =
    before?.status === status && before.lastTransitionTime !== undefined
      ? before.lastTransitionTime
      : formatTime(world.now);
  return {
    type,
    ...observed(pod),
    status,
    lastTransitionTime: since,
    reason: null,
    message: null,
    ...against,
  } as PodCondition;
}

const disrupted = ({ pod, world, action }: Situation): PodCondition => ({
  type: "DisruptionTarget",
  ...observed(pod),
  status: "True",
  reason: "TerminationByKubelet",
  message: action.message ?? evicted,
  lastTransitionTime: formatTime(world.now),
});
