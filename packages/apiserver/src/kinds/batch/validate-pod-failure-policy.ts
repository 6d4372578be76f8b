// The pod failure policy of a Job.
// Upstream: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go (validatePodFailurePolicy…).
import { type Decoded, labelKeyFaults } from "homeostat/api";
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
} from "homeostat/k8s/batch/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  quoteGo,
} from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { ruled } from "../validation/field-rules.ts";

const maxRules = 20;
const maxExitCodes = 255;
const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const operators = ["In", "NotIn"];
const statuses = ["False", "True", "Unknown"];

/** `path` is that of the policy. */
export function validatePodFailurePolicy(spec: Decoded<JobSpec>, path: string): FieldError[] {
  const policy = spec.podFailurePolicy;
  if (!policy) return [];
  const { containers, initContainers } = spec.template?.spec ?? {};
  const names = new Set(
    [...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name ?? ""),
  );
  const rules = policy.rules ?? [];
  return [
    ...errorIf(rules.length > maxRules, () =>
      fieldError.tooMany(`${path}.rules`, rules.length, maxRules),
    ),
    ...eachItem(rules, `${path}.rules`, (rule, rulePath) => [
      ...actionErrors(rule, spec, `${rulePath}.action`),
      ...ruleErrors(rule, names, rulePath),
    ]),
  ];
}

/** An enumerated field that must be set; a missing one gets the list of valid values. */
function enumErrors(value: string, allowed: readonly string[], path: string): FieldError[] {
  if (!value)
    return [fieldError.required(path, `valid values: [${allowed.map(quoteGo).join(" ")}]`)];
  return errorIf(!allowed.includes(value), () => fieldError.notSupported(path, value, allowed));
}

function actionErrors(
  { action }: Decoded<PodFailurePolicyRule>,
  spec: Decoded<JobSpec>,
  path: string,
): FieldError[] {
  return action === "FailIndex" && !isSet(spec.backoffLimitPerIndex)
    ? [fieldError.invalid(path, action, "requires the backoffLimitPerIndex to be set")]
    : enumErrors(action ?? "", actions, path);
}

function ruleErrors(
  { onExitCodes, onPodConditions }: Decoded<PodFailurePolicyRule>,
  names: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const conditions = onPodConditions ?? [];
  return [
    ...(onExitCodes ? exitCodeErrors(onExitCodes, names, `${path}.onExitCodes`) : []),
    ...podConditionErrors(conditions, `${path}.onPodConditions`),
    ...(onExitCodes && conditions.length
      ? [bareInvalid(path, "specifying both OnExitCodes and OnPodConditions is not supported")]
      : []),
    ...(!onExitCodes && !conditions.length
      ? [bareInvalid(path, "specifying one of OnExitCodes and OnPodConditions is required")]
      : []),
  ];
}

/** `Invalid value: detail`, for values that upstream does not print. */
export const bareInvalid = (field: string, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  body: `Invalid value: ${detail}`,
});

function podConditionErrors(
  patterns: readonly Decoded<PodFailurePolicyOnPodConditionsPattern>[],
  path: string,
): FieldError[] {
  return [
    ...errorIf(patterns.length > maxRules, () =>
      fieldError.tooMany(path, patterns.length, maxRules),
    ),
    ...eachItem(patterns, path, ({ type, status }, at) => [
      ...ruled(labelKeyFaults, type ?? "", `${at}.type`),
      ...enumErrors(status ?? "", statuses, `${at}.status`),
    ]),
  ];
}

function exitCodeErrors(
  requirement: Decoded<PodFailurePolicyOnExitCodesRequirement>,
  names: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const { containerName } = requirement;
  const operator = requirement.operator ?? "";
  const values = requirement.values ?? [];
  const isOrdered = values.every((value, i) => i === 0 || values[i - 1]! <= value);
  return [
    ...enumErrors(operator, operators, `${path}.operator`),
    ...errorIf(isSet(containerName) && !names.has(containerName), () =>
      fieldError.invalid(
        `${path}.containerName`,
        containerName,
        "must be one of the container or initContainer names in the pod template",
      ),
    ),
    ...errorIf(!values.length, () =>
      fieldError.invalid(
        `${path}.values`,
        requirement.values ?? null,
        "at least one value is required",
      ),
    ),
    ...errorIf(values.length > maxExitCodes, () =>
      fieldError.tooMany(`${path}.values`, values.length, maxExitCodes),
    ),
    ...eachItem(values, `${path}.values`, (value, at, i) => [
      ...errorIf(operator === "In" && value === 0, () =>
        fieldError.invalid(at, value, "must not be 0 for the In operator"),
      ),
      ...errorIf(values.indexOf(value) < i, () => fieldError.duplicate(at, value)),
    ]),
    ...errorIf(!isOrdered, () => fieldError.invalid(`${path}.values`, values, "must be ordered")),
  ];
}
