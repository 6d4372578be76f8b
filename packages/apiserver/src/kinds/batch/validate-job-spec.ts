// The spec of a Job, in a Job or in the template of a CronJob.
// Upstream: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go (validateJobSpec).
import { type JsonObject, labelKeyFaults } from "homeostat/api";
import {
  duplicate,
  type FieldError,
  invalid,
  invalidInternal,
  notSupported,
  quoteGo,
  required,
  tooLong,
  tooMany,
} from "../../registry/field-error.ts";
import { nonNegative, ruled } from "../core/pod/field-rules.ts";
import { validatePodTemplate } from "../core/pod/pod-template.ts";
import { domainPathErrors } from "../object/name-faults.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  optionalNumberAt,
  optionalTextAt,
} from "../object/read-fields.ts";
import { objectAt, stringAt } from "../object/strategy.ts";
import { countIndexes } from "./index-intervals.ts";

const mostParallel = 100_000;
const manyCompletions = 100_000;
const mostAmongMany = 10_000;
const longestIndexes = 64 * 1024;
const actions = ["Count", "FailIndex", "FailJob", "Ignore"];
const statuses = ["False", "True", "Unknown"];
const validValues = (values: readonly string[]): string =>
  `valid values: [${values.map(quoteGo).join(" ")}]`;

/** `path` is `spec` or `spec.jobTemplate.spec`; `old` is the stored spec. */
export function validateJobSpec(spec: JsonObject, path: string, old?: JsonObject): FieldError[] {
  const managedBy = optionalTextAt(spec, "managedBy");
  return [
    ...[
      "parallelism",
      "completions",
      "activeDeadlineSeconds",
      "backoffLimit",
      "ttlSecondsAfterFinished",
      "backoffLimitPerIndex",
      "maxFailedIndexes",
    ].flatMap((field) => {
      const value = optionalNumberAt(spec, field);
      return value === undefined ? [] : nonNegative(value, `${path}.${field}`);
    }),
    ...(isSet(spec["maxFailedIndexes"]) && !isSet(spec["backoffLimitPerIndex"])
      ? [required(`${path}.backoffLimitPerIndex`, "when maxFailedIndexes is specified")]
      : []),
    ...(managedBy === undefined
      ? []
      : [
          ...domainPathErrors(managedBy, `${path}.managedBy`),
          ...(Buffer.byteLength(managedBy) > 63 ? [tooLong(`${path}.managedBy`, 63)] : []),
        ]),
    ...modeErrors(spec, path),
    ...failurePolicyErrors(spec, `${path}.podFailurePolicy`),
    ...successPolicyErrors(spec, `${path}.successPolicy`),
    ...replacementErrors(spec, `${path}.podReplacementPolicy`),
    ...validatePodTemplate(
      objectAt(spec, "template"),
      `${path}.template`,
      old && objectAt(old, "template"),
    ),
    ...restartErrors(spec, `${path}.template.spec.restartPolicy`),
  ];
}

function modeErrors(spec: JsonObject, path: string): FieldError[] {
  const mode = optionalTextAt(spec, "completionMode") ?? "NonIndexed";
  if (mode === "Indexed") return indexedErrors(spec, path);
  if (mode !== "NonIndexed")
    return [notSupported(`${path}.completionMode`, mode, ["NonIndexed", "Indexed"])];
  return ["backoffLimitPerIndex", "maxFailedIndexes"]
    .filter((field) => isSet(spec[field]))
    .map((field) => invalid(`${path}.${field}`, spec[field], "requires indexed completion mode"));
}

function indexedErrors(spec: JsonObject, path: string): FieldError[] {
  const completions = optionalNumberAt(spec, "completions");
  const parallelism = optionalNumberAt(spec, "parallelism");
  const failed = optionalNumberAt(spec, "maxFailedIndexes");
  const many =
    completions !== undefined &&
    completions > manyCompletions &&
    isSet(spec["backoffLimitPerIndex"]);
  const amongMany = `must be less than or equal to ${mostAmongMany} when completions are above ${manyCompletions} and used with backoff limit per index`;
  return [
    ...(completions === undefined
      ? [required(`${path}.completions`, "when completion mode is Indexed")]
      : []),
    ...(parallelism !== undefined && parallelism > mostParallel
      ? [
          invalid(
            `${path}.parallelism`,
            parallelism,
            `must be less than or equal to ${mostParallel} when completion mode is Indexed`,
          ),
        ]
      : []),
    ...(completions !== undefined && failed !== undefined && failed > completions
      ? [invalid(`${path}.maxFailedIndexes`, failed, "must be less than or equal to completions")]
      : []),
    ...(failed !== undefined && failed > mostParallel
      ? [
          invalid(
            `${path}.maxFailedIndexes`,
            failed,
            `must be less than or equal to ${mostParallel}`,
          ),
        ]
      : []),
    ...(many && failed === undefined
      ? [
          required(
            `${path}.maxFailedIndexes`,
            `must be specified when completions is above ${manyCompletions}`,
          ),
        ]
      : []),
    ...(many && parallelism !== undefined && parallelism > mostAmongMany
      ? [invalid(`${path}.parallelism`, parallelism, amongMany)]
      : []),
    ...(many && failed !== undefined && failed > mostAmongMany
      ? [invalid(`${path}.maxFailedIndexes`, failed, amongMany)]
      : []),
  ];
}

function failurePolicyErrors(spec: JsonObject, path: string): FieldError[] {
  const policy = mutableAt(spec, "podFailurePolicy");
  if (!policy) return [];
  const podSpec = objectAt(objectAt(spec, "template"), "spec");
  const names = new Set(
    [...itemsAt(podSpec, "containers"), ...itemsAt(podSpec, "initContainers")].map((container) =>
      stringAt(container, "name"),
    ),
  );
  const rules = itemsAt(policy, "rules");
  return [
    ...(rules.length > 20 ? [tooMany(`${path}.rules`, rules.length, 20)] : []),
    ...rules.flatMap((rule, i) =>
      failureRuleErrors(rule, isSet(spec["backoffLimitPerIndex"]), names, `${path}.rules[${i}]`),
    ),
  ];
}

function failureRuleErrors(
  rule: JsonObject,
  hasIndexLimit: boolean,
  names: ReadonlySet<string>,
  path: string,
): FieldError[] {
  const action = stringAt(rule, "action");
  const codes = mutableAt(rule, "onExitCodes");
  const conditions = itemsAt(rule, "onPodConditions");
  return [
    ...(!action
      ? [required(`${path}.action`, validValues(actions))]
      : action === "FailIndex"
        ? hasIndexLimit
          ? []
          : [invalid(`${path}.action`, action, "requires the backoffLimitPerIndex to be set")]
        : actions.includes(action)
          ? []
          : [notSupported(`${path}.action`, action, actions)]),
    ...(codes ? exitCodeErrors(codes, names, `${path}.onExitCodes`) : []),
    ...conditionErrors(conditions, `${path}.onPodConditions`),
    ...(codes && conditions.length
      ? [bareInvalid(path, "specifying both OnExitCodes and OnPodConditions is not supported")]
      : []),
    ...(!codes && !conditions.length
      ? [bareInvalid(path, "specifying one of OnExitCodes and OnPodConditions is required")]
      : []),
  ];
}

/** `Invalid value: detail`, for what upstream does not print. */
export const bareInvalid = (field: string, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  body: `Invalid value: ${detail}`,
});

function conditionErrors(patterns: readonly JsonObject[], path: string): FieldError[] {
  return [
    ...(patterns.length > 20 ? [tooMany(path, patterns.length, 20)] : []),
    ...patterns.flatMap((pattern, i) => {
      const status = stringAt(pattern, "status");
      return [
        ...ruled(labelKeyFaults, stringAt(pattern, "type"), `${path}[${i}].type`),
        ...(!status
          ? [required(`${path}[${i}].status`, validValues(statuses))]
          : statuses.includes(status)
            ? []
            : [notSupported(`${path}[${i}].status`, status, statuses)]),
      ];
    }),
  ];
}

function exitCodeErrors(codes: JsonObject, names: ReadonlySet<string>, path: string): FieldError[] {
  const operator = stringAt(codes, "operator");
  const container = optionalTextAt(codes, "containerName");
  const values = (Array.isArray(codes["values"]) ? codes["values"] : []).map(Number);
  const isOrdered = values.every((value, i) => i === 0 || values[i - 1]! <= value);
  return [
    ...(!operator
      ? [required(`${path}.operator`, validValues(["In", "NotIn"]))]
      : operator === "In" || operator === "NotIn"
        ? []
        : [notSupported(`${path}.operator`, operator, ["In", "NotIn"])]),
    ...(container !== undefined && !names.has(container)
      ? [
          invalid(
            `${path}.containerName`,
            container,
            "must be one of the container or initContainer names in the pod template",
          ),
        ]
      : []),
    ...(!values.length
      ? [invalid(`${path}.values`, codes["values"] ?? null, "at least one value is required")]
      : values.length > 255
        ? [tooMany(`${path}.values`, values.length, 255)]
        : []),
    ...values.flatMap((value, i) => [
      ...(operator === "In" && value === 0
        ? [invalid(`${path}.values[${i}]`, value, "must not be 0 for the In operator")]
        : []),
      ...(values.indexOf(value) < i ? [duplicate(`${path}.values[${i}]`, value)] : []),
    ]),
    ...(isOrdered ? [] : [invalid(`${path}.values`, values, "must be ordered")]),
  ];
}

function successPolicyErrors(spec: JsonObject, path: string): FieldError[] {
  const policy = mutableAt(spec, "successPolicy");
  if (!policy) return [];
  if (stringAt(spec, "completionMode") !== "Indexed") {
    return [
      invalidInternal(path, ["batch.SuccessPolicy", policy], "requires indexed completion mode"),
    ];
  }
  const rules = itemsAt(policy, "rules");
  return [
    ...(rules.length
      ? []
      : [
          required(
            `${path}.rules`,
            "at least one rules must be specified when the successPolicy is specified",
          ),
        ]),
    ...(rules.length > 20 ? [tooMany(`${path}.rules`, rules.length, 20)] : []),
    ...rules.flatMap((rule, i) =>
      successRuleErrors(rule, optionalNumberAt(spec, "completions") ?? 0, `${path}.rules[${i}]`),
    ),
  ];
}

function successRuleErrors(rule: JsonObject, completions: number, path: string): FieldError[] {
  const indexes = optionalTextAt(rule, "succeededIndexes");
  const count = optionalNumberAt(rule, "succeededCount");
  if (indexes === undefined && count === undefined)
    return [required(path, "at least one of succeededCount or succeededIndexes must be specified")];
  const counted = countIndexes(indexes ?? "", completions);
  const total = "count" in counted ? counted.count : 0;
  return [
    ...(indexes !== undefined && Buffer.byteLength(indexes) > longestIndexes
      ? [tooLong(`${path}.succeededIndexes`, longestIndexes)]
      : []),
    ...("fault" in counted
      ? [
          invalid(
            `${path}.succeededIndexes`,
            indexes,
            `error parsing succeededIndexes: ${counted.fault}`,
          ),
        ]
      : []),
    ...(count === undefined ? [] : nonNegative(count, `${path}.succeededCount`)),
    ...(count !== undefined && count > completions
      ? [
          invalid(
            `${path}.succeededCount`,
            count,
            `must be less than or equal to ${completions} (the number of specified completions)`,
          ),
        ]
      : []),
    ...(count !== undefined && indexes !== undefined && count > total
      ? [
          invalid(
            `${path}.succeededCount`,
            count,
            `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
          ),
        ]
      : []),
  ];
}

function replacementErrors(spec: JsonObject, path: string): FieldError[] {
  const policy = optionalTextAt(spec, "podReplacementPolicy");
  if (policy === undefined) return [];
  const allowed = isSet(spec["podFailurePolicy"]) ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  return allowed.includes(policy) ? [] : [notSupported(path, policy, allowed)];
}

function restartErrors(spec: JsonObject, path: string): FieldError[] {
  const policy = stringAt(objectAt(objectAt(spec, "template"), "spec"), "restartPolicy");
  if (!policy || policy === "Always") return [required(path, 'valid values: "OnFailure", "Never"')];
  if (policy !== "OnFailure" && policy !== "Never")
    return [notSupported(path, policy, ["OnFailure", "Never"])];
  return isSet(spec["podFailurePolicy"]) && policy !== "Never"
    ? [invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}
