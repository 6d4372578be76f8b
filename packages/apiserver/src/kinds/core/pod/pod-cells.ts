// A pod as a row: how many containers are ready, and the most telling reason for its state.
// Upstream: k8s.io/kubernetes/pkg/printers/internalversion/printers.go (printPod).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { ageOf, formatAge, nameOf } from "../../printers/cells.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  objectAt,
  stringAt,
} from "../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../apimachinery/meta/read-meta.ts";

/** Completed pods are marked in a row's conditions. */
export function podRowConditions(pod: JsonObject): readonly JsonObject[] {
  const completed = (reason: string, message: string): JsonObject[] => [
    { type: "Completed", status: "True", reason, message },
  ];
  switch (stringAt(objectAt(pod, "status"), "phase")) {
    case "Succeeded":
      return completed("Succeeded", "The pod has completed successfully.");
    case "Failed":
      return completed("Failed", "The pod failed.");
    default:
      return [];
  }
}

/** The cells for the columns of pods. */
export function podCells(pod: JsonObject, nowMs: number): readonly Json[] {
  const spec = objectAt(pod, "spec");
  const status = objectAt(pod, "status");
  const { ready, reason, restarts, lastRestart } = summarize(pod, spec, status);
  const sidecars = itemsAt(spec, "initContainers").filter(isSidecar).length;
  const restartText =
    restarts && lastRestart
      ? `${restarts} (${formatAge(lastRestart, nowMs)} ago)`
      : String(restarts);
  const address = stringAt(itemsAt(status, "podIPs")[0] ?? {}, "ip");
  return [
    nameOf(pod),
    `${ready}/${itemsAt(spec, "containers").length + sidecars}`,
    reason,
    restartText,
    ageOf(pod, nowMs),
    address || "<none>",
    stringAt(spec, "nodeName") || "<none>",
    stringAt(status, "nominatedNodeName") || "<none>",
    gatesCell(itemsAt(spec, "readinessGates"), itemsAt(status, "conditions")),
  ];
}

const isSidecar = (container: JsonObject): boolean =>
  stringAt(container, "restartPolicy") === "Always";

interface Summary {
  readonly ready: number;
  readonly reason: string;
  readonly restarts: number;
  readonly lastRestart: string;
}

function summarize(pod: JsonObject, spec: JsonObject, status: JsonObject): Summary {
  const conditions = itemsAt(status, "conditions");
  const phase = stringAt(status, "phase");
  const gated = conditions.some(
    (condition) =>
      stringAt(condition, "type") === "PodScheduled" &&
      stringAt(condition, "reason") === "SchedulingGated",
  );
  const first = gated ? "SchedulingGated" : stringAt(status, "reason") || phase;
  const init = summarizeInit(spec, status, first);
  const initialized =
    stringAt(
      conditions.find((condition) => stringAt(condition, "type") === "Initialized") ?? {},
      "status",
    ) === "True";
  const summary =
    !init.initializing || initialized ? summarizeMain(status, conditions, init) : init;
  return { ...summary, reason: deletionReason(pod, status, phase) ?? summary.reason };
}

function deletionReason(pod: JsonObject, status: JsonObject, phase: string): string | undefined {
  if (!isSet(metadataOf(pod)["deletionTimestamp"])) return undefined;
  if (stringAt(status, "reason") === "NodeLost") return "Unknown";
  return phase === "Failed" || phase === "Succeeded" ? undefined : "Terminating";
}

interface InitSummary extends Summary {
  readonly initializing: boolean;
  readonly sidecarRestarts: number;
  readonly lastSidecarRestart: string;
}

function summarizeInit(spec: JsonObject, status: JsonObject, reason: string): InitSummary {
  const containers = itemsAt(spec, "initContainers");
  const sidecars = new Set(
    containers.filter(isSidecar).map((container) => stringAt(container, "name")),
  );
  const sum = {
    ready: 0,
    reason,
    restarts: 0,
    lastRestart: "",
    initializing: false,
    sidecarRestarts: 0,
    lastSidecarRestart: "",
  };
  for (const [i, container] of itemsAt(status, "initContainerStatuses").entries()) {
    const sidecar = sidecars.has(stringAt(container, "name"));
    sum.restarts += numberAt(container, "restartCount");
    sum.lastRestart = later(sum.lastRestart, lastEnd(container));
    if (sidecar) {
      sum.sidecarRestarts += numberAt(container, "restartCount");
      sum.lastSidecarRestart = later(sum.lastSidecarRestart, lastEnd(container));
    }
    const state = objectAt(container, "state");
    const terminated = mutableAt(state, "terminated");
    if (terminated && numberAt(terminated, "exitCode") === 0) continue;
    if (sidecar && container["started"] === true) {
      if (container["ready"] === true) sum.ready++;
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
  state: JsonObject,
  terminated: JsonObject | undefined,
  i: number,
  total: number,
): string {
  if (terminated) return `Init:${stringAt(terminated, "reason") || exitReason(terminated)}`;
  const waiting = stringAt(objectAt(state, "waiting"), "reason");
  return waiting && waiting !== "PodInitializing" ? `Init:${waiting}` : `Init:${i}/${total}`;
}

const exitReason = (terminated: JsonObject): string =>
  numberAt(terminated, "signal")
    ? `Signal:${numberAt(terminated, "signal")}`
    : `ExitCode:${numberAt(terminated, "exitCode")}`;

function summarizeMain(
  status: JsonObject,
  conditions: readonly JsonObject[],
  init: InitSummary,
): Summary {
  let { ready, reason, sidecarRestarts: restarts, lastSidecarRestart: lastRestart } = init;
  let hasRunning = false;
  let errorReason = "";
  for (const container of itemsAt(status, "containerStatuses").toReversed()) {
    restarts += numberAt(container, "restartCount");
    lastRestart = later(lastRestart, lastEnd(container));
    const state = objectAt(container, "state");
    const waiting = stringAt(objectAt(state, "waiting"), "reason");
    const terminated = mutableAt(state, "terminated");
    if (waiting) reason = waiting;
    else if (terminated) {
      reason = stringAt(terminated, "reason") || exitReason(terminated);
      if (numberAt(terminated, "exitCode") !== 0) errorReason = reason;
    } else if (container["ready"] === true && isObject(state["running"])) {
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
  conditions: readonly JsonObject[],
): string {
  const isReady = conditions.some(
    (condition) =>
      stringAt(condition, "type") === "Ready" && stringAt(condition, "status") === "True",
  );
  if (hasRunning && isReady) return "Running";
  return errorReason || (hasRunning ? "NotReady" : "Completed");
}

const lastEnd = (container: JsonObject): string =>
  stringAt(objectAt(objectAt(container, "lastState"), "terminated"), "finishedAt");
const later = (a: string, b: string): string =>
  b && Date.parse(b) > (a ? Date.parse(a) : -Infinity) ? b : a;

function gatesCell(gates: readonly JsonObject[], conditions: readonly JsonObject[]): string {
  if (!gates.length) return "<none>";
  const isTrue = (type: string): boolean =>
    stringAt(
      conditions.find((condition) => stringAt(condition, "type") === type) ?? {},
      "status",
    ) === "True";
  return `${gates.filter((gate) => isTrue(stringAt(gate, "conditionType"))).length}/${gates.length}`;
}
