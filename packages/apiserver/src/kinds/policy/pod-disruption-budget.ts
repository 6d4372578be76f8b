// Pod disruption budgets: how many pods of a set may be disrupted at once.
// Upstream: k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget/strategy.go,
// pkg/apis/policy/validation/validation.go.
import type { Decoded } from "homeostat/api";
import type {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from "homeostat/k8s/policy/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { nonNegative } from "../validation/field-rules.ts";
import * as intOrPercent from "../validation/int-or-percent.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { validateLabelSelector } from "../validation/label-selectors.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { pathSegmentName } from "../../apimachinery/meta/validate-object-meta.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { specStatusStrategy, statusStrategy } from "../definition/default-strategy.ts";
import { validateConditions } from "../validation/validate-conditions.ts";

const bounds = ["minAvailable", "maxUnavailable"] as const;
const evictionPolicies = ["AlwaysAllow", "IfHealthyBudget"];
const counters = [
  "disruptionsAllowed",
  "currentHealthy",
  "desiredHealthy",
  "expectedPods",
] as const;

export const podDisruptionBudget: KindDefinition<Decoded<PodDisruptionBudget>> = {
  ...gvk("policy/v1", "PodDisruptionBudget"),
  strategy: {
    ...specStatusStrategy,
    allowUnconditionalUpdate: false,
    // Upstream has no rules of its own about metadata.
    metadataChanges: "common",
    validateName: pathSegmentName,
    prepareForCreate(object) {
      object.status = {
        disruptionsAllowed: 0,
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
      };
      metadataOf(object).generation = 1;
    },
    validateCreate: (object) => validateSpec(object.spec ?? {}, "refused"),
    validateUpdate: (object, old) =>
      validateSpec(
        object.spec ?? {},
        validateLabelSelector(old.spec?.selector ?? {}, "").length ? "allowed" : "refused",
      ),
  },
  subresources: {
    status: {
      ...statusStrategy,
      validateUpdate: (object) => validateStatus(object.status ?? {}),
    },
  },
  cells: (object, ages) => {
    const spec = object.spec ?? {};
    return [
      nameOf(object),
      ...bounds.map((bound) => (isSet(spec[bound]) ? String(spec[bound]) : "N/A")),
      object.status?.disruptionsAllowed ?? 0,
      ageOf(object, ages),
    ];
  },
};

function validateSpec(
  spec: Decoded<PodDisruptionBudgetSpec>,
  invalidValues: "refused" | "allowed",
): FieldError[] {
  const { selector, unhealthyPodEvictionPolicy: policy } = spec;
  return [
    ...errorIf(
      bounds.every((bound) => isSet(spec[bound])),
      () =>
        fieldError.invalidInternal(
          "spec",
          ["policy.PodDisruptionBudgetSpec", spec],
          "minAvailable and maxUnavailable cannot be both set",
        ),
    ),
    ...bounds.flatMap((bound) => {
      const value = spec[bound];
      const path = `spec.${bound}`;
      return [
        ...intOrPercent.validatePositive(value, path),
        ...intOrPercent.validateNotMoreThan100Percent(value, path),
      ];
    }),
    ...(selector ? validateLabelSelector(selector, "spec.selector", { invalidValues }) : []),
    ...errorIf(isSet(policy) && !evictionPolicies.includes(policy), () =>
      fieldError.notSupported("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies),
    ),
  ];
}

function validateStatus(status: Decoded<PodDisruptionBudgetStatus>): FieldError[] {
  return [
    ...validateConditions(status.conditions ?? [], "status.conditions"),
    ...counters.flatMap((counter) => nonNegative(status[counter] ?? 0, `status.${counter}`)),
  ];
}
