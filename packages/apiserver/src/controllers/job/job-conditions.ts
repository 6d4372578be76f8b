// The list of a job's conditions. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/job/job_controller.go (newCondition,
// ensureJobConditionStatus).
import type { JobCondition } from "homeostat/k8s/batch/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";

/** A new condition. */
export function newCondition(
  type: string,
  status: "True" | "False",
  why: { readonly reason: string; readonly message: string },
  now: number,
): JobCondition {
  const { reason, message } = why;
  const at = formatTime(now);
  return { type, status, lastProbeTime: at, lastTransitionTime: at, reason, message };
}

/** Sets a condition; undefined if nothing changes. A False condition is not added. */
export function setCondition(
  conditions: readonly JobCondition[],
  condition: JobCondition,
): readonly JobCondition[] | undefined {
  const { type, status, reason, message } = condition;
  const before = conditions.find((one) => one.type === type);
  if (!before) return status === "False" ? undefined : [...conditions, condition];
  if (before.status === status && before.reason === reason && before.message === message)
    return undefined;
  return conditions.map((one) => (one.type === type ? condition : one));
}
