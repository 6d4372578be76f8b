// The cells of a pod in a table: how many containers are ready, and the reason for its state.
// Upstream: k8s.io/kubernetes/pkg/printers/internalversion/printers.go (printPod).
import type { CellAges } from "../../../apimachinery/rest/table-printer.ts";
import type { Decoded, Json, JsonObject } from "homeostat/api";
import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
  PodCondition,
  PodReadinessGate,
  PodSpec,
  PodStatus,
} from "homeostat/k8s/core/v1";
import { ageOf, formatAge, nameOf } from "../../printers/cells.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../apimachinery/meta/read-meta.ts";

/** The condition of the row of a completed pod. */
export function podRowConditions(pod: Decoded<Pod>): readonly JsonObject[] {
  const completed = (reason: string, message: string): JsonObject[] => [
    { type: "Completed", status: "True", reason, message },
  ];
  switch (pod.status?.phase) {
    case "Succeeded":
      return completed("Succeeded", "The pod has completed successfully.");
    case "Failed":
      return completed("Failed", "The pod failed.");
    default:
      return [];
  }
}

/** The cells for the columns of pods. */
export function podCells(pod: Decoded<Pod>, ages: CellAges): readonly Json[] {
  const spec = pod.spec ?? {};
  const status = pod.status ?? {};
  const { ready, reason, restarts, lastRestart } = summarize(pod, spec, status);
  const sidecars = (spec.initContainers ?? []).filter(isSidecar).length;
  const restartText =
    restarts && lastRestart
      ? `${restarts} (${formatAge(lastRestart, ages)} ago)`
      : String(restarts);
  const address = status.podIPs?.[0]?.ip ?? "";
  return [
    nameOf(pod),
    `${ready}/${(spec.containers ?? []).length + sidecars}`,
    reason,
    restartText,
    ageOf(pod, ages),
    address || "<none>",
    spec.nodeName || "<none>",
    status.nominatedNodeName || "<none>",
    gatesCell(spec.readinessGates ?? [], status.conditions ?? []),
  ];
}

const isSidecar = (container: Decoded<Container>): boolean => container.restartPolicy === "Always";

interface Summary {
  readonly ready: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: string;
}

function summarize(pod: Decoded<Pod>, spec: Decoded<PodSpec>, status: Decoded<PodStatus>): Summary {
  const conditions = status.conditions ?? [];
  const phase = status.phase ?? "";
  const gated = conditions.some(
    (condition) => condition.type === "PodScheduled" && condition.reason === "SchedulingGated",
  );
  const first = gated ? "SchedulingGated" : status.reason || phase;
  const init = summarizeInit(spec, status, first);
  const initialized =
    conditions.find((condition) => condition.type === "Initialized")?.status === "True";
  const summary =
    !init.initializing || initialized ? summarizeMain(status, conditions, init) : init;
  return { ...summary, reason: deletionReason(pod, status, phase) ?? summary.reason };
}

function deletionReason(
  pod: Decoded<Pod>,
  status: Decoded<PodStatus>,
  phase: string,
): string | undefined {
  if (!isSet(metadataOf(pod).deletionTimestamp)) return undefined;
  if (status.reason === "NodeLost") return "Unknown";
  return phase === "Failed" || phase === "Succeeded" ? undefined : "Terminating";
}

interface InitSummary extends Summary {
  readonly initializing: boolean;
  readonly sidecarRestarts: number;
  readonly lastSidecarRestart: string;
}

function summarizeInit(
  spec: Decoded<PodSpec>,
  status: Decoded<PodStatus>,
  reason: string,
): InitSummary {
  const containers = spec.initContainers ?? [];
  const sidecars = new Set(containers.filter(isSidecar).map((container) => container.name ?? ""));
  const sum = {
    ready: 0,
    reason,
    restarts: 0,
    lastRestart: "",
    initializing: false,
    sidecarRestarts: 0,
    lastSidecarRestart: "",
  };
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    const sidecar = sidecars.has(container.name ?? "");
    sum.restarts += container.restartCount ?? 0;
    sum.lastRestart = later(sum.lastRestart, lastEnd(container));
    if (sidecar) {
      sum.sidecarRestarts += container.restartCount ?? 0;
      sum.lastSidecarRestart = later(sum.lastSidecarRestart, lastEnd(container));
    }
    const state = container.state ?? {};
    const terminated = state.terminated ?? undefined;
    if (terminated && (terminated.exitCode ?? 0) === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready === true) sum.ready++;
      continue;
    }
    return {
      ...sum,
      initializing: true,
      reason: initReason(state, terminated, i, containers.length),
    };
  }
  return sum;
}

function initReason(
  state: Decoded<ContainerState>,
  terminated: Decoded<ContainerStateTerminated> | undefined,
  i: number,
  total: number,
): string {
  if (terminated) return `Init:${terminated.reason || exitReason(terminated)}`;
  const waiting = state.waiting?.reason ?? "";
  return waiting && waiting !== "PodInitializing" ? `Init:${waiting}` : `Init:${i}/${total}`;
}

const exitReason = (terminated: Decoded<ContainerStateTerminated>): string =>
  terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode ?? 0}`;

function summarizeMain(
  status: Decoded<PodStatus>,
  conditions: readonly Decoded<PodCondition>[],
  init: InitSummary,
): Summary {
  let { ready, reason, sidecarRestarts: restarts, lastSidecarRestart: lastRestart } = init;
  let hasRunning = false;
  let errorReason = "";
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    restarts += container.restartCount ?? 0;
    lastRestart = later(lastRestart, lastEnd(container));
    const state = container.state ?? {};
    const waiting = state.waiting?.reason ?? "";
    const terminated = state.terminated ?? undefined;
    if (waiting) reason = waiting;
    else if (terminated) {
      reason = terminated.reason || exitReason(terminated);
      if ((terminated.exitCode ?? 0) !== 0) errorReason = reason;
    } else if (container.ready === true && state.running) {
      hasRunning = true;
      ready++;
    }
  }
  if (reason === "Completed") reason = completedReason(hasRunning, errorReason, conditions);
  return { ready, reason, restarts, lastRestart };
}

function completedReason(
  hasRunning: boolean,
  errorReason: string,
  conditions: readonly Decoded<PodCondition>[],
): string {
  const isReady = conditions.some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  );
  if (hasRunning && isReady) return "Running";
  return errorReason || (hasRunning ? "NotReady" : "Completed");
}

const lastEnd = (container: Decoded<ContainerStatus>): string =>
  container.lastState?.terminated?.finishedAt ?? "";
const later = (a: string, b: string): string =>
  b && Date.parse(b) > (a ? Date.parse(a) : -Infinity) ? b : a;

function gatesCell(
  gates: readonly Decoded<PodReadinessGate>[],
  conditions: readonly Decoded<PodCondition>[],
): string {
  if (!gates.length) return "<none>";
  const isTrue = (type: string): boolean =>
    conditions.find((condition) => (condition.type ?? "") === type)?.status === "True";
  return `${gates.filter((gate) => isTrue(gate.conditionType ?? "")).length}/${gates.length}`;
}
