// The spec of a Job, in a Job or in the template of a CronJob.
// Upstream: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go (validateJobSpec).
import type { Decoded } from "homeostat/api";
import type { JobSpec, SuccessPolicyRule } from "homeostat/k8s/batch/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { validatePodTemplate } from "../core/pod/pod-template-spec.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { domainPathErrors } from "../validation/name-faults.ts";
import { countIndexes } from "./index-intervals.ts";
import { validatePodFailurePolicy } from "./validate-pod-failure-policy.ts";

const maxParallelism = 100_000;
const manyCompletions = 100_000;
const maxWithManyCompletions = 10_000;
const maxIndexesBytes = 64 * 1024;
const maxManagedByBytes = 63;
const maxSuccessPolicyRules = 20;

const nonNegativeFields = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

/** `path` is `spec` or `spec.jobTemplate.spec`; `old` is the stored spec. */
export function validateJobSpec(
  spec: Decoded<JobSpec>,
  path: string,
  old?: Decoded<JobSpec>,
): FieldError[] {
  return [
    ...nonNegativeFields.flatMap((field) =>
      nonNegative(Number(spec[field] ?? 0), `${path}.${field}`),
    ),
    ...errorIf(isSet(spec.maxFailedIndexes) && !isSet(spec.backoffLimitPerIndex), () =>
      fieldError.required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified"),
    ),
    ...(isSet(spec.managedBy) ? managedByErrors(spec.managedBy, `${path}.managedBy`) : []),
    ...completionModeErrors(spec, path),
    ...validatePodFailurePolicy(spec, `${path}.podFailurePolicy`),
    ...successPolicyErrors(spec, `${path}.successPolicy`),
    ...podReplacementPolicyErrors(spec, `${path}.podReplacementPolicy`),
    ...validatePodTemplate(spec.template ?? {}, `${path}.template`, old && (old.template ?? {})),
    ...restartPolicyErrors(spec, `${path}.template.spec.restartPolicy`),
  ];
}

const managedByErrors = (managedBy: string, path: string): FieldError[] => [
  ...domainPathErrors(managedBy, path),
  ...errorIf(Buffer.byteLength(managedBy) > maxManagedByBytes, () =>
    fieldError.tooLong(path, maxManagedByBytes),
  ),
];

function completionModeErrors(spec: Decoded<JobSpec>, path: string): FieldError[] {
  const mode = spec.completionMode ?? "NonIndexed";
  if (mode === "Indexed") return indexedErrors(spec, path);
  if (mode !== "NonIndexed")
    return [fieldError.notSupported(`${path}.completionMode`, mode, ["NonIndexed", "Indexed"])];
  return (["backoffLimitPerIndex", "maxFailedIndexes"] as const)
    .filter((field) => isSet(spec[field]))
    .map((field) =>
      fieldError.invalid(
        `${path}.${field}`,
        spec[field] ?? undefined,
        "requires indexed completion mode",
      ),
    );
}

/** Refuses a number above the limit. */
function limitErrors(
  value: number | null | undefined,
  max: number,
  path: string,
  condition = "",
): FieldError[] {
  return errorIf(isSet(value) && value > max, () =>
    fieldError.invalid(path, value, `must be less than or equal to ${max}${condition}`),
  );
}

function indexedErrors(spec: Decoded<JobSpec>, path: string): FieldError[] {
  const { completions, parallelism, maxFailedIndexes } = spec;
  const many =
    isSet(completions) && completions > manyCompletions && isSet(spec.backoffLimitPerIndex);
  const withMany = ` when completions are above ${manyCompletions} and used with backoff limit per index`;
  return [
    ...errorIf(!isSet(completions), () =>
      fieldError.required(`${path}.completions`, "when completion mode is Indexed"),
    ),
    ...limitErrors(
      parallelism,
      maxParallelism,
      `${path}.parallelism`,
      " when completion mode is Indexed",
    ),
    ...errorIf(
      isSet(completions) && isSet(maxFailedIndexes) && maxFailedIndexes > completions,
      () =>
        fieldError.invalid(
          `${path}.maxFailedIndexes`,
          maxFailedIndexes,
          "must be less than or equal to completions",
        ),
    ),
    ...limitErrors(maxFailedIndexes, maxParallelism, `${path}.maxFailedIndexes`),
    ...errorIf(many && !isSet(maxFailedIndexes), () =>
      fieldError.required(
        `${path}.maxFailedIndexes`,
        `must be specified when completions is above ${manyCompletions}`,
      ),
    ),
    ...(many
      ? [
          ...limitErrors(parallelism, maxWithManyCompletions, `${path}.parallelism`, withMany),
          ...limitErrors(
            maxFailedIndexes,
            maxWithManyCompletions,
            `${path}.maxFailedIndexes`,
            withMany,
          ),
        ]
      : []),
  ];
}

function successPolicyErrors(spec: Decoded<JobSpec>, path: string): FieldError[] {
  const policy = spec.successPolicy;
  if (!policy) return [];
  if (spec.completionMode !== "Indexed") {
    return [
      fieldError.invalidInternal(
        path,
        ["batch.SuccessPolicy", policy],
        "requires indexed completion mode",
      ),
    ];
  }
  const rules = policy.rules ?? [];
  return [
    ...errorIf(!rules.length, () =>
      fieldError.required(
        `${path}.rules`,
        "at least one rules must be specified when the successPolicy is specified",
      ),
    ),
    ...errorIf(rules.length > maxSuccessPolicyRules, () =>
      fieldError.tooMany(`${path}.rules`, rules.length, maxSuccessPolicyRules),
    ),
    ...eachItem(rules, `${path}.rules`, (rule, at) =>
      successRuleErrors(rule, spec.completions ?? 0, at),
    ),
  ];
}

function successRuleErrors(
  rule: Decoded<SuccessPolicyRule>,
  completions: number,
  path: string,
): FieldError[] {
  const indexes = rule.succeededIndexes ?? undefined;
  const count = rule.succeededCount ?? undefined;
  if (indexes === undefined && count === undefined)
    return [
      fieldError.required(
        path,
        "at least one of succeededCount or succeededIndexes must be specified",
      ),
    ];
  const counted = countIndexes(indexes ?? "", completions);
  const total = "count" in counted ? counted.count : 0;
  return [
    ...errorIf(indexes !== undefined && Buffer.byteLength(indexes) > maxIndexesBytes, () =>
      fieldError.tooLong(`${path}.succeededIndexes`, maxIndexesBytes),
    ),
    ...("fault" in counted
      ? [
          fieldError.invalid(
            `${path}.succeededIndexes`,
            indexes,
            `error parsing succeededIndexes: ${counted.fault}`,
          ),
        ]
      : []),
    ...(count === undefined ? [] : nonNegative(count, `${path}.succeededCount`)),
    ...errorIf(count !== undefined && count > completions, () =>
      fieldError.invalid(
        `${path}.succeededCount`,
        count,
        `must be less than or equal to ${completions} (the number of specified completions)`,
      ),
    ),
    ...errorIf(count !== undefined && indexes !== undefined && count > total, () =>
      fieldError.invalid(
        `${path}.succeededCount`,
        count,
        `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
      ),
    ),
  ];
}

function podReplacementPolicyErrors(spec: Decoded<JobSpec>, path: string): FieldError[] {
  const policy = spec.podReplacementPolicy;
  if (!isSet(policy)) return [];
  const allowed = isSet(spec.podFailurePolicy) ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return errorIf(!allowed.includes(policy), () => fieldError.notSupported(path, policy, allowed));
}

function restartPolicyErrors(spec: Decoded<JobSpec>, path: string): FieldError[] {
  const policy = spec.template?.spec?.restartPolicy ?? "";
  if (!policy || policy === "Always")
    return [fieldError.required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never")
    return [fieldError.notSupported(path, policy, ["OnFailure", "Never"])];
  return errorIf(isSet(spec.podFailurePolicy) && policy !== "Never", () =>
    fieldError.invalid(
      path,
      policy,
      'only "Never" is supported when podFailurePolicy is specified',
    ),
  );
}
