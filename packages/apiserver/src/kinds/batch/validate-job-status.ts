// The status of a Job: finished Jobs stay finished, counters grow, conditions come in pairs.
// Upstream: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go (validateJobStatus,
// ValidateJobStatusUpdate), pkg/registry/batch/job/strategy.go (getStatusValidationOptions): most
// rules hold only for what changes.
import { type Decoded, equalJson } from "homeostat/api";
import type { Job, JobSpec, JobStatus, UncountedTerminatedPods } from "homeostat/k8s/batch/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { hasItems, isSet } from "../../apimachinery/meta/read-fields.ts";
import { finalizerErrors } from "../validation/validate-object.ts";
import { countIndexes, findOverlap } from "./index-intervals.ts";
import { bareInvalid } from "./validate-pod-failure-policy.ts";

interface State {
  readonly status: Decoded<JobStatus>;
  /** Whether the condition is true. */
  is(type: string): boolean;
  readonly finished: boolean;
}

function stateOf(job: Decoded<Job>): State {
  const status = job.status ?? {};
  const is = (type: string): boolean =>
    (status.conditions ?? []).some(
      (condition) => condition.type === type && condition.status === "True",
    );
  return { status, is, finished: is("Complete") || is("Failed") };
}

/** Every error of an update through the status endpoint. */
export function validateJobStatusUpdate(job: Decoded<Job>, old: Decoded<Job>): FieldError[] {
  const now = stateOf(job);
  const was = stateOf(old);
  const spec = job.spec ?? {};
  return [
    ...finalizerErrors(job),
    ...countErrors(now.status),
    ...conditionErrors(now, was),
    ...timeErrors(now, was),
    ...finishErrors(now, was, spec),
    ...indexErrors(now.status, was.status, spec),
    ...podCountErrors(now, was),
    ...successCriteriaErrors(now, spec),
    ...transitionErrors(now, was, spec, old),
  ];
}

const changed = (now: State, was: State, ...fields: readonly (keyof JobStatus)[]): boolean =>
  fields.some((field) => !equalJson(now.status[field] ?? null, was.status[field] ?? null));
const turned = (now: State, was: State, type: string): boolean => now.is(type) !== was.is(type);

function countErrors(status: Decoded<JobStatus>): FieldError[] {
  const seen = new Set<string>();
  const pods = status.uncountedTerminatedPods ?? {};
  return [
    ...(["active", "succeeded", "failed", "ready", "terminating"] as const).flatMap((field) =>
      nonNegative(status[field] ?? 0, `status.${field}`),
    ),
    ...(["succeeded", "failed"] as const).flatMap((list) =>
      eachItem(pods[list], `status.uncountedTerminatedPods.${list}`, (uid, path) => {
        if (!uid) return [fieldError.invalid(path, uid, "must not be empty")];
        if (seen.has(uid)) return [fieldError.duplicate(path, uid)];
        seen.add(uid);
        return [];
      }),
    ),
  ];
}

function conditionErrors(now: State, was: State): FieldError[] {
  const refuse = (when: boolean, text: string): FieldError[] =>
    when ? [bareInvalid("status.conditions", text)] : [];
  const completed = turned(now, was, "Complete");
  return [
    ...refuse(
      (completed || turned(now, was, "Failed")) && now.is("Complete") && now.is("Failed"),
      "cannot set Complete=True and Failed=true conditions",
    ),
    ...refuse(
      (completed || turned(now, was, "FailureTarget")) &&
        now.is("Complete") &&
        now.is("FailureTarget"),
      "cannot set Complete=True and FailureTarget=true conditions",
    ),
  ];
}

function timeErrors(now: State, was: State): FieldError[] {
  const { status } = now;
  const completion = status.completionTime ?? undefined;
  const start = status.startTime ?? undefined;
  const touched = turned(now, was, "Complete") || changed(now, was, "completionTime");
  const early =
    start !== undefined && completion !== undefined && Date.parse(completion) < Date.parse(start);
  return [
    ...errorIf(touched && completion !== undefined && !now.is("Complete"), () =>
      fieldError.invalid(
        "status.completionTime",
        completion,
        "cannot set completionTime when there is no Complete=True condition",
      ),
    ),
    ...errorIf(touched && completion === undefined && now.is("Complete"), () =>
      fieldError.required("status.completionTime", "completionTime is required for Complete jobs"),
    ),
    ...errorIf(changed(now, was, "startTime", "completionTime") && early, () =>
      fieldError.invalid(
        "status.completionTime",
        completion,
        "must be equal to or after `startTime`",
      ),
    ),
  ];
}

function finishErrors(now: State, was: State, spec: Decoded<JobSpec>): FieldError[] {
  const { status } = now;
  const finishing = now.finished !== was.finished;
  const active = status.active ?? 0;
  const uncounted = status.uncountedTerminatedPods ?? undefined;
  const hasUncounted =
    uncounted !== undefined && (hasItems(uncounted.succeeded) || hasItems(uncounted.failed));
  const failing = turned(now, was, "Failed") || changed(now, was, "failedIndexes");
  const succeeding = turned(now, was, "Complete") || turned(now, was, "SuccessCriteriaMet");
  return [
    ...(failing && now.is("Failed") && !now.is("FailureTarget")
      ? [
          bareInvalid(
            "status.conditions",
            "cannot set Failed=True condition without the FailureTarget=true condition",
          ),
        ]
      : []),
    ...(succeeding && now.is("Complete") && !now.is("SuccessCriteriaMet")
      ? [
          bareInvalid(
            "status.conditions",
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
          ),
        ]
      : []),
    ...errorIf((finishing || changed(now, was, "active")) && active > 0 && now.finished, () =>
      fieldError.invalid("status.active", active, "active>0 is invalid for finished job"),
    ),
    ...startErrors(now, was, finishing, spec),
    ...((finishing || changed(now, was, "uncountedTerminatedPods")) && now.finished && hasUncounted
      ? [printedPods(uncounted)]
      : []),
  ];
}

function startErrors(
  now: State,
  was: State,
  finishing: boolean,
  spec: Decoded<JobSpec>,
): FieldError[] {
  const neverRan =
    spec.suspend === true && (spec.completions ?? 0) === 0 && isSet(spec.completions);
  const touched = (finishing || changed(now, was, "startTime")) && !neverRan;
  return errorIf(touched && now.finished && !isSet(now.status.startTime), () =>
    fieldError.required("status.startTime", "startTime is required for finished job"),
  );
}

function printedPods(pods: Decoded<UncountedTerminatedPods>): FieldError {
  const list = (uids: readonly string[] | null | undefined): string => JSON.stringify(uids ?? null);
  return {
    type: "FieldValueInvalid",
    field: "status.uncountedTerminatedPods",
    body: `Invalid value: {"Succeeded":${list(pods.succeeded)},"Failed":${list(pods.failed)}}: must be empty for finished job`,
  };
}

function indexErrors(
  status: Decoded<JobStatus>,
  before: Decoded<JobStatus>,
  spec: Decoded<JobSpec>,
): FieldError[] {
  const completions = spec.completions ?? undefined;
  const completed = status.completedIndexes ?? "";
  const failed = status.failedIndexes ?? undefined;
  const newCompleted = completed !== (before.completedIndexes ?? "");
  const newFailed = failed !== (before.failedIndexes ?? undefined);
  const limited = isSet(spec.backoffLimitPerIndex);
  const errors: FieldError[] = [];
  const check = (text: string, field: string): void => {
    const counted = countIndexes(text, completions ?? 0);
    if ("fault" in counted)
      errors.push(
        fieldError.invalid(`status.${field}`, text, `error parsing ${field}: ${counted.fault}`),
      );
  };
  if (newCompleted && completions !== undefined) check(completed, "completedIndexes");
  if (newFailed && completions !== undefined && limited && failed !== undefined)
    check(failed, "failedIndexes");
  if (newCompleted && completed && spec.completionMode !== "Indexed")
    errors.push(
      fieldError.invalid(
        "status.completedIndexes",
        completed,
        "cannot set non-empty completedIndexes when non-indexed completion mode",
      ),
    );
  if (newFailed && !limited && failed !== undefined)
    errors.push(
      fieldError.invalid(
        "status.failedIndexes",
        failed,
        "cannot set non-null failedIndexes when backoffLimitPerIndex is null",
      ),
    );
  if ((newFailed || newCompleted) && completions !== undefined && failed !== undefined)
    errors.push(...overlapErrors(completed, failed, completions));
  return errors;
}

function overlapErrors(completed: string, failed: string, completions: number): FieldError[] {
  const overlap = findOverlap(completed, failed, completions);
  if (overlap === undefined) return [];
  const detail = `failedIndexes and completedIndexes overlap at index: ${overlap}`;
  return [fieldError.invalid("status.failedIndexes", failed, detail)];
}

function podCountErrors(now: State, was: State): FieldError[] {
  const terminating = now.status.terminating ?? undefined;
  const ready = now.status.ready ?? undefined;
  const finishing = now.finished !== was.finished;
  return [
    ...errorIf(
      (finishing || changed(now, was, "terminating")) && (terminating ?? 0) > 0 && now.finished,
      () =>
        fieldError.invalid(
          "status.terminating",
          terminating,
          "terminating>0 is invalid for finished job",
        ),
    ),
    ...errorIf(
      changed(now, was, "ready", "active") &&
        ready !== undefined &&
        ready > (now.status.active ?? 0),
      () => fieldError.invalid("status.ready", ready, "cannot set more ready pods than active"),
    ),
  ];
}

function successCriteriaErrors(now: State, spec: Decoded<JobSpec>): FieldError[] {
  const met = now.is("SuccessCriteriaMet");
  const refuse = (when: boolean, text: string): FieldError[] =>
    when ? [bareInvalid("status.conditions", text)] : [];
  return [
    ...refuse(
      met && now.is("Failed"),
      "cannot set SuccessCriteriaMet=True and Failed=true conditions",
    ),
    ...refuse(
      met && now.is("FailureTarget"),
      "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
    ),
    ...refuse(
      isSet(spec.successPolicy) && !met && now.is("Complete"),
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    ),
  ];
}

function transitionErrors(
  now: State,
  was: State,
  spec: Decoded<JobSpec>,
  old: Decoded<Job>,
): FieldError[] {
  const elastic =
    spec.completionMode === "Indexed" &&
    equalJson(spec.completions ?? null, spec.parallelism ?? null);
  const lowered = (field: "failed" | "succeeded"): FieldError[] =>
    errorIf((now.status[field] ?? 0) < (was.status[field] ?? 0), () =>
      fieldError.invalid(
        `status.${field}`,
        now.status[field] ?? 0,
        `cannot decrease the ${field} counter`,
      ),
    );
  const completion = now.status.completionTime;
  return [
    ...["Failed", "Complete", "FailureTarget"]
      .filter((type) => was.is(type) && !now.is(type))
      .map((type) =>
        bareInvalid("status.conditions", `cannot disable the terminal ${type}=True condition`),
      ),
    ...lowered("failed"),
    ...(elastic ? [] : lowered("succeeded")),
    ...errorIf(
      isSet(completion) && isSet(was.status.completionTime) && changed(now, was, "completionTime"),
      () => fieldError.invalid("status.completionTime", completion, "field is immutable"),
    ),
    ...startChangeErrors(now, was, spec, old),
    ...(was.is("SuccessCriteriaMet") && !now.is("SuccessCriteriaMet")
      ? [bareInvalid("status.conditions", "cannot disable the SuccessCriteriaMet=True condition")]
      : []),
    ...(was.is("Complete") && !was.is("SuccessCriteriaMet") && now.is("SuccessCriteriaMet")
      ? [
          bareInvalid(
            "status.conditions",
            "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
          ),
        ]
      : []),
  ];
}

/** A job that resumes starts anew. */
function startChangeErrors(
  now: State,
  was: State,
  spec: Decoded<JobSpec>,
  old: Decoded<Job>,
): FieldError[] {
  const notSuspended = (now.status.conditions ?? []).some(
    ({ type, status }) => type === "Suspended" && status === "False",
  );
  const resuming = stateOf(old).is("Suspended") && notSuspended;
  const moved = isSet(was.status.startTime) && changed(now, was, "startTime");
  return errorIf(moved && !resuming && spec.suspend !== true, () =>
    fieldError.invalid(
      "status.startTime",
      now.status.startTime ?? null,
      "field is immutable for unsuspended job once set",
    ),
  );
}
