// The life of a pod as data: from which state it goes to which status, after how long, and what may be wanted instead. A
// test steers a pod by the annotation `simulator.homeostat.dev/fate`; what it says holds from then on. Pure.
// Upstream: k8s.io/kubernetes/pkg/kubelet/status/generate.go; the idea of stages: sigs.k8s.io/kwok.
import { formatSeconds, type ContainerStatus, type Pod, type PodContainer, type PodStatus, type WorkloadCondition } from "../workload-objects.ts";
import { isPodFinished } from "../pod-state.ts";

/** hold: never starts; unready: runs, but is not ready; crash-loop: starts again and again; fail, succeed: ends so. */
export const fateAnnotation = "simulator.homeostat.dev/fate";

/** What the stages need to know beyond the pod. */
export interface PodWorld {
  readonly now: number;
  readonly hostIp: string;
  /** The address that the pod has or is to have. */
  readonly podIp: () => string;
  readonly nodeReady: boolean;
}

/** Where a pod is: on a node and nothing done yet, its containers being made, running, between two crashes, through, going. */
export type PodState = "placed" | "creating" | "running" | "unready" | "crashed" | "finished" | "deleting";

/** A step. The first one whose state and fate fit is taken; without `status` the pod is removed. */
export interface PodStage {
  readonly name: string;
  readonly from: readonly PodState[];
  /** Fates to which this applies; "" is none, with a restart policy of Always; "job" is none, with another one. */
  readonly fates: readonly string[];
  readonly afterMs: (pod: Pod) => number;
  readonly status?: (pod: Pod, world: PodWorld) => PodStatus;
}

const atOnce = (): number => 0;
/** How long a pod that is to end runs. */
const workMs = 1000;
const firstBackOffMs = 10_000;
const maxBackOffMs = 300_000;
const anyFate = ["", "job", "unready", "crash-loop", "fail", "succeed"];

/** Every stage there is, in order. */
export const podStages: readonly PodStage[] = [
  { name: "removed", from: ["deleting"], fates: [...anyFate, "hold"], afterMs: atOnce },
  { name: "creating", from: ["placed"], fates: [...anyFate, "hold"], afterMs: atOnce, status: creating },
  { name: "running", from: ["creating"], fates: ["", "job", "unready", "fail", "succeed"], afterMs: atOnce, status: running },
  { name: "crashing", from: ["creating", "running", "unready"], fates: ["crash-loop"], afterMs: atOnce, status: crashed },
  { name: "crashing again", from: ["crashed"], fates: ["crash-loop"], afterMs: backOff, status: crashed },
  { name: "recovered", from: ["crashed"], fates: ["", "job", "unready", "fail", "succeed"], afterMs: atOnce, status: running },
  { name: "failed", from: ["running", "unready"], fates: ["fail"], afterMs: atOnce, status: (pod, world) => ended(pod, world, 1) },
  { name: "succeeded at will", from: ["running", "unready"], fates: ["succeed"], afterMs: atOnce, status: (pod, world) => ended(pod, world, 0) },
  { name: "succeeded", from: ["running"], fates: ["job"], afterMs: () => workMs, status: (pod, world) => ended(pod, world, 0) },
];

/** The next stage of a pod that has a node, or undefined when it stays as it is. */
export function nextStage(pod: Pod, nodeReady: boolean): PodStage | undefined {
  const state = stateOf(pod);
  const fate = fateOf(pod);
  const stage = podStages.find((one) => one.from.includes(state) && one.fates.includes(fate));
  const shouldBeReady = nodeReady && fate !== "unready" && closedGates(pod).length === 0;
  if (stage ?? !(state === "running" || state === "unready")) return stage;
  // What of a running pod may change is obeyed at once, resources as well.
  if (pod.status?.["observedGeneration"] !== pod.metadata.generation) return { name: "observed", from: [state], fates: [fate], afterMs: atOnce, status: running };
  if ((state === "running") !== shouldBeReady) return { name: shouldBeReady ? "ready" : "unready", from: [state], fates: [fate], afterMs: atOnce, status: running };
  const deadline = (pod.spec as Pod["spec"] & { readonly activeDeadlineSeconds?: number }).activeDeadlineSeconds;
  // The name says which deadline is waited for: another one begins anew.
  return deadline === undefined ? undefined : { name: `overdue after ${deadline} s`, from: [state], fates: [fate], afterMs: () => deadline * 1000, status: overdue };
}

function fateOf({ metadata, spec }: Pod): string {
  return metadata.annotations?.[fateAnnotation] || ((spec.restartPolicy ?? "Always") === "Always" ? "" : "job");
}

/** Where a pod is, by what is said of it. */
export function stateOf(pod: Pod): PodState {
  if (pod.metadata.deletionTimestamp !== undefined) return "deleting";
  if (isPodFinished(pod)) return "finished";
  const statuses = pod.status?.containerStatuses ?? [];
  if (statuses.length === 0) return "placed";
  const waiting = statuses.map(({ state }) => (state as { waiting?: { reason?: string } } | undefined)?.waiting?.reason);
  if (waiting.includes("CrashLoopBackOff")) return "crashed";
  if (waiting.some((reason) => reason !== undefined)) return "creating";
  return statuses.every(({ ready }) => ready === true) && pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ? "running" : "unready";
}

function backOff({ status }: Pod): number {
  const restarts = Math.max(1, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
  return Math.min(maxBackOffMs, firstBackOffMs * 2 ** (restarts - 1));
}

function creating(pod: Pod, world: PodWorld): PodStatus {
  const containerStatuses = pod.spec.containers.map((one) => containerStatus(pod, one, { state: { waiting: { reason: "ContainerCreating" } }, ready: false, started: false }));
  return { phase: "Pending", ...where(pod, world, false), ...initStatuses(pod, { waiting: { reason: "PodInitializing" } }), containerStatuses, conditions: conditionsOf(pod, world, "created") };
}

function running(pod: Pod, world: PodWorld): PodStatus {
  const ready = world.nodeReady && pod.metadata.annotations?.[fateAnnotation] !== "unready";
  const containerStatuses = pod.spec.containers.map((one) => {
    const before = (previous(pod, one)?.["state"] as { running?: object } | undefined)?.running;
    const { resources = {} } = one;
    const allocated = resources.requests === undefined ? {} : { allocatedResources: resources.requests };
    return { ...containerStatus(pod, one, { state: { running: before ?? { startedAt: formatSeconds(world.now) } }, ready, started: true }), ...allocated, resources };
  });
  return { phase: "Running", ...where(pod, world, true), ...initStatuses(pod, finished(world, 0)), containerStatuses, conditions: conditionsOf(pod, world, ready ? "ready" : "unready") };
}

function crashed(pod: Pod, world: PodWorld): PodStatus {
  const containerStatuses = pod.spec.containers.map((one) => {
    const restartCount = (previous(pod, one)?.restartCount ?? 0) + 1;
    const waiting = { reason: "CrashLoopBackOff", message: `back-off restarting failed container=${one.name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})` };
    return { ...containerStatus(pod, one, { state: { waiting }, ready: false, started: false }), restartCount, lastState: finished(world, 1) };
  });
  return { phase: "Running", ...where(pod, world, true), ...initStatuses(pod, finished(world, 0)), containerStatuses, conditions: conditionsOf(pod, world, "unready") };
}

function ended(pod: Pod, world: PodWorld, exitCode: number): PodStatus {
  const containerStatuses = pod.spec.containers.map((one) => containerStatus(pod, one, { state: finished(world, exitCode), ready: false, started: false }));
  return { phase: exitCode === 0 ? "Succeeded" : "Failed", ...where(pod, world, true), containerStatuses, conditions: conditionsOf(pod, world, exitCode === 0 ? "completed" : "unready") };
}

const overdue = (pod: Pod, world: PodWorld): PodStatus => ({
  ...ended(pod, world, 137),
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
});

const finished = ({ now }: PodWorld, exitCode: number): object => ({
  terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt: formatSeconds(now), finishedAt: formatSeconds(now) },
});

const previous = ({ status }: Pod, { name }: PodContainer): ContainerStatus | undefined => status?.containerStatuses?.find((one) => one.name === name);

function containerStatus(pod: Pod, { name, image = "" }: PodContainer, now: { readonly state: object; readonly ready: boolean; readonly started: boolean }): ContainerStatus {
  const before = previous(pod, { name });
  return { name, ...now, lastState: before?.["lastState"] ?? {}, restartCount: before?.restartCount ?? 0, image, imageID: "" };
}

/** Init containers end, side-cars among them run on. */
function initStatuses(pod: Pod, state: object): PodStatus {
  const { initContainers = [] } = pod.spec;
  if (initContainers.length === 0) return {};
  const done = "terminated" in state;
  return { initContainerStatuses: initContainers.map(({ name, image = "" }) => ({ name, state, lastState: {}, ready: done, restartCount: 0, image, imageID: "" })) };
}

/** What is said of each condition that somebody else has to set before the pod is ready. */
const closedGates = ({ spec, status }: Pod): readonly string[] =>
  (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const state = status?.conditions?.find(({ type }) => type === conditionType)?.status;
    if (state === undefined) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    return state === "True" ? [] : [`the status of pod readiness gate "${conditionType}" is not "True", but ${state}`];
  });

/** Which generation of the pod a status or a condition speaks of. */
const observed = ({ metadata }: Pod): { readonly observedGeneration?: number } => (metadata.generation ? { observedGeneration: Number(metadata.generation) } : {});

/** Addresses, and since when; a pod gets its own address when it runs. */
function where(pod: Pod, { now, hostIp, podIp }: PodWorld, hasAddress: boolean): PodStatus {
  const { status } = pod;
  const address = hasAddress ? podIp() : undefined;
  return {
    ...observed(pod),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    startTime: status?.startTime ?? formatSeconds(now),
    ...(address !== undefined ? { podIP: address, podIPs: [{ ip: address }] } : {}),
  };
}

function conditionsOf(pod: Pod, { now }: PodWorld, how: "created" | "ready" | "unready" | "completed"): readonly WorkloadCondition[] {
  const names = pod.spec.containers.map(({ name }) => name);
  const notReady = how === "completed" ? { reason: "PodCompleted", message: "" } : { reason: "ContainersNotReady", message: `containers with unready status: [${names.join(" ")}]` };
  const closed = closedGates(pod);
  const condition = (type: string, holds: boolean, why: object = {}): WorkloadCondition => {
    const status = holds ? "True" : "False";
    const before = pod.status?.conditions?.find((one) => one.type === type);
    const since = before?.status === status && before.lastTransitionTime !== undefined ? before.lastTransitionTime : formatSeconds(now);
    return { type, ...observed(pod), status, lastTransitionTime: since, ...(holds ? { reason: "", message: "" } : why) };
  };
  return [
    condition("PodReadyToStartContainers", how === "ready" || how === "unready"),
    condition("Initialized", how !== "created" || (pod.spec.initContainers ?? []).length === 0, { reason: "ContainersNotInitialized" }),
    condition("Ready", how === "ready" && closed.length === 0, how === "ready" ? { reason: "ReadinessGatesNotReady", message: closed.join(", ") } : notReady),
    condition("ContainersReady", how === "ready", notReady),
    condition("PodScheduled", true),
  ];
}
