// The status of a DaemonSet: nodes that need a pod, and nodes that have one, by state. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/daemon/daemon_controller.go (updateDaemonSetStatus,
// storeDaemonSetStatus).
import { readyCondition } from "../../component-helpers/workloads/pod-state.ts";
import { eligibility } from "./daemon-pod.ts";
import { isUpdated } from "./daemon-set-spec.ts";
import type { DaemonSet, DaemonSetStatus } from "homeostat/k8s/apps/v1";
import { byAge, type DaemonState, isAvailable } from "./pods-on-nodes.ts";

/** All counts of the status. */
export type DaemonCounts = Readonly<Record<(typeof counts)[number], number>>;

const always = [
  "desiredNumberScheduled",
  "currentNumberScheduled",
  "numberMisscheduled",
  "numberReady",
] as const;
const sometimes = ["updatedNumberScheduled", "numberAvailable", "numberUnavailable"] as const;
const counts = [...always, ...sometimes] as const;

/** Counts nodes. The oldest pod of a node represents it. */
export function countNodes({ set, nodes, pods, hash, now }: DaemonState): DaemonCounts {
  const wanted = nodes.filter((node) => eligibility(set, node) === "run");
  const speakers = wanted.flatMap(
    ({ metadata }) => pods.get(metadata.name)?.toSorted(byAge)[0] ?? [],
  );
  const ready = speakers.filter(readyCondition);
  const available = ready.filter((pod) => isAvailable(set, pod, now)).length;
  return {
    desiredNumberScheduled: wanted.length,
    currentNumberScheduled: speakers.length,
    numberMisscheduled: nodes.filter(
      (node) => !wanted.includes(node) && pods.has(node.metadata.name),
    ).length,
    numberReady: ready.length,
    updatedNumberScheduled: speakers.filter((pod) => isUpdated(set, pod, hash)).length,
    numberAvailable: available,
    numberUnavailable: wanted.length - available,
  };
}

/** The status with new counts. Zero is omitted where Go omits it. */
export function withCounts(
  before: DaemonSetStatus | undefined,
  found: DaemonCounts,
  observedGeneration: number,
): DaemonSetStatus {
  const kept = Object.entries(before ?? {}).filter(
    ([field]) => !(sometimes as readonly string[]).includes(field),
  );
  const some = sometimes.flatMap((field) => (found[field] === 0 ? [] : [[field, found[field]]]));
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(always.map((field) => [field, found[field]])),
    ...Object.fromEntries(some),
    observedGeneration,
  };
}

/** True when the status has these counts for the current generation. */
export function saysCounts({ status, metadata }: DaemonSet, found: DaemonCounts): boolean {
  return (
    counts.every((field) => (status[field] ?? 0) === found[field]) &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}
