// The status of a PodDisruptionBudget from its pods. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/disruption/disruption.go,
// k8s.io/component-helpers/apps/poddisruptionbudget/helpers.go.
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import { readyCondition } from "../../component-helpers/workloads/pod-state.ts";
import type { LabelSelector, Condition } from "homeostat/k8s/meta/v1";
import type { Pod } from "homeostat/k8s/core/v1";
import type { PodDisruptionBudget } from "homeostat/k8s/policy/v1";
import { type PodDisruptionBudgetStatus } from "homeostat/k8s/policy/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";

/** How long an evicted pod counts as disrupted although it is not deleted. */
export const deletionTimeoutMs = 120_000;
const allowed = "DisruptionAllowed";

/** Whether the scale of the pods' controllers is needed. */
export const needsScale = ({
  spec: { minAvailable, maxUnavailable },
}: PodDisruptionBudget): boolean =>
  maxUnavailable !== undefined || typeof minAvailable === "string";

/** The number of pods that must be healthy when `expected` are expected. */
export function desiredHealthy(
  { spec: { minAvailable, maxUnavailable } }: PodDisruptionBudget,
  expected: number,
): number {
  return maxUnavailable === undefined
    ? scaled(minAvailable ?? 0, expected)
    : Math.max(0, expected - scaled(maxUnavailable, expected));
}

/** A number, or a percentage of `total` rounded up. */
const scaled = (value: number | string, total: number): number =>
  typeof value === "number" ? value : Math.ceil((Number(value.replace("%", "")) * total) / 100);

/** Evicted pods that still exist: those within the timeout, and overdue ones. */
export interface Disrupted {
  readonly pods: Readonly<Record<string, string>>;
  readonly overdue: readonly Pod[];
  /** Milliseconds until the first of them is overdue. */
  readonly recheckInMs?: number;
}

/** Sorts the evictions recorded in the status. */
export function disruptedPods(
  { status }: PodDisruptionBudget,
  pods: readonly Pod[],
  now: number,
): Disrupted {
  const waiting = pods.filter(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined &&
      status.disruptedPods?.[metadata.name] !== undefined,
  );
  const dueMs = ({ metadata }: Pod): number =>
    Date.parse(status!.disruptedPods![metadata.name]!) + deletionTimeoutMs;
  const patient = waiting.filter((pod) => dueMs(pod) >= now);
  const kept = Object.fromEntries(
    patient.map(({ metadata }) => [metadata.name, status!.disruptedPods![metadata.name]!]),
  );
  const overdue = waiting.filter((pod) => !patient.includes(pod));
  return patient.length > 0
    ? { pods: kept, overdue, recheckInMs: Math.max(1, Math.min(...patient.map(dueMs)) - now) }
    : { pods: kept, overdue };
}

/** The number of pods that are ready and not being disrupted. */
export function countHealthy(
  pods: readonly Pod[],
  { pods: disrupted }: Disrupted,
  now: number,
): number {
  const isLeaving = ({ metadata }: Pod): boolean => {
    const since = disrupted[metadata.name];
    return (
      metadata.deletionTimestamp !== undefined ||
      (since !== undefined && Date.parse(since) + deletionTimeoutMs > now)
    );
  };
  return pods.filter((pod) => !isLeaving(pod) && readyCondition(pod) !== undefined).length;
}

/** The input of a status. */
export interface BudgetFindings {
  readonly healthy: number;
  readonly desired: number;
  readonly expected: number;
  readonly disrupted: Readonly<Record<string, string>>;
  readonly now: number;
}

/** The status to write; undefined if it is current. */
export function nextStatus(
  { metadata, status }: PodDisruptionBudget,
  { healthy, desired, expected, disrupted, now }: BudgetFindings,
): PodDisruptionBudgetStatus | undefined {
  const disruptionsAllowed = expected > 0 ? Math.max(0, healthy - desired) : 0;
  const { generation = 0 } = metadata;
  const condition = status.conditions?.find(({ type }) => type === allowed);
  const [state, reason] =
    disruptionsAllowed > 0
      ? (["True", "SufficientPods"] as const)
      : (["False", "InsufficientPods"] as const);
  const stands =
    status.currentHealthy === healthy &&
    status.desiredHealthy === desired &&
    status.expectedPods === expected &&
    status.disruptionsAllowed === disruptionsAllowed &&
    (status.observedGeneration ?? 0) === generation &&
    deepEqual(status.disruptedPods ?? {}, disrupted) &&
    condition?.status === state &&
    condition.reason === reason;
  if (stands) return undefined;
  const counts = {
    observedGeneration: generation,
    disruptionsAllowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
  };
  return {
    ...counts,
    ...(Object.keys(disrupted).length > 0 ? { disruptedPods: disrupted } : {}),
    conditions: setAllowed(status, state, { reason, message: "", generation, now }),
  };
}

/** The status of a budget that could not be computed: no disruptions are allowed. */
export function failedStatus(
  { status }: PodDisruptionBudget,
  message: string,
  now: number,
): PodDisruptionBudgetStatus {
  const counts = {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...status,
    disruptionsAllowed: 0,
  };
  return {
    ...counts,
    conditions: setAllowed(status, "False", {
      reason: "SyncFailed",
      message,
      generation: status.observedGeneration ?? 0,
      now,
    }),
  };
}

function setAllowed(
  status: PodDisruptionBudgetStatus | undefined,
  state: "True" | "False",
  {
    reason,
    message,
    generation,
    now,
  }: {
    readonly reason: string;
    readonly message: string;
    readonly generation: number;
    readonly now: number;
  },
): readonly Condition[] {
  const conditions = status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === allowed);
  const lastTransitionTime = before?.status === state ? before.lastTransitionTime : formatTime(now);
  const next = {
    type: allowed,
    status: state,
    ...(generation ? { observedGeneration: generation } : {}),
    lastTransitionTime,
    reason,
    message,
  };
  return before ? conditions.map((one) => (one === before ? next : one)) : [...conditions, next];
}

/**
 * A selector as Go prints it, e.g. `&LabelSelector{MatchLabels:map[string]string{app:
 * web,},MatchExpressions:[]LabelSelectorRequirement{},}`.
 */
export function printSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .toSorted()
    .map((key) => `${key}: ${matchLabels[key]},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
