// Evaluates the pod failure policy and the success policy of a job. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/job (pod_failure_policy.go, success_policy.go).
import type { ContainerStatus, Pod } from "homeostat/k8s/core/v1";
import type { Job, PodFailurePolicyRule } from "homeostat/k8s/batch/v1";
import { countOfCommon, countOfIndexes, type IndexSet, parseIndexes } from "./index-set.ts";
import { initStatuses, terminatedState } from "./job-state.ts";

/** The verdict on a failed pod. */
export interface FailureJudgement {
  readonly action?: PodFailurePolicyRule["action"];
  /** Whether it counts towards the limits. */
  readonly counts: boolean;
  /** The reason if the whole job fails. */
  readonly message?: string;
}

/** The first matching rule decides; without one the failure counts. */
export function judgeFailure({ spec: { podFailurePolicy } }: Job, pod: Pod): FailureJudgement {
  for (const [index, rule] of (podFailurePolicy?.rules ?? []).entries()) {
    const why = rule.onExitCodes
      ? exitCodeMatch(rule.onExitCodes, pod)
      : conditionMatch(rule.onPodConditions ?? [], pod);
    if (why === undefined) continue;
    const { action } = rule;
    if (action === "FailJob")
      return { action, counts: true, message: `${why} matching ${action} rule at index ${index}` };
    return { action, counts: action !== "Ignore" };
  }
  return { counts: true };
}

/** Containers are checked before init containers. */
function exitCodeMatch(
  { containerName, operator, values }: NonNullable<PodFailurePolicyRule["onExitCodes"]>,
  pod: Pod,
): string | undefined {
  const { name, namespace } = pod.metadata;
  const fits = (status: ContainerStatus): boolean => {
    const code = terminatedState(status)?.exitCode;
    return (
      code !== undefined &&
      code !== 0 &&
      (containerName === undefined || containerName === status.name) &&
      values.includes(code) === (operator === "In")
    );
  };
  const found = pod.status.containerStatuses?.find(fits) ?? initStatuses(pod).find(fits);
  return (
    found &&
    `Container ${found.name} for pod ${namespace}/${name} failed with exit code ${terminatedState(found)!.exitCode}`
  );
}

function conditionMatch(
  patterns: NonNullable<PodFailurePolicyRule["onPodConditions"]>,
  { metadata, status }: Pod,
): string | undefined {
  const found = status.conditions?.find((condition) =>
    patterns.some(
      (pattern) => pattern.type === condition.type && pattern.status === condition.status,
    ),
  );
  return found && `Pod ${metadata.namespace}/${metadata.name} has condition ${found.type}`;
}

/** The matched rule of the success policy; undefined if none matches. */
export function matchSuccess(
  { spec: { successPolicy, completions = 0 } }: Job,
  succeeded: IndexSet,
): string | undefined {
  if (succeeded.length === 0) return undefined;
  for (const [index, { succeededIndexes, succeededCount }] of (
    successPolicy?.rules ?? []
  ).entries()) {
    const enough = succeededCount ?? Infinity;
    const required = parseIndexes(succeededIndexes, completions);
    const common = countOfCommon(required, succeeded);
    const met =
      succeededIndexes === undefined
        ? countOfIndexes(succeeded) >= enough
        : required.length > 0 && (common === countOfIndexes(required) || common >= enough);
    if (met) return `Matched rules at index ${index}`;
  }
  return undefined;
}
