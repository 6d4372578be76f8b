// Pod disruption budgets: how many pods of a set may be away.
// Upstream: k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget/strategy.go,
// pkg/apis/policy/validation/validation.go.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  invalid,
  invalidInternal,
  notSupported,
} from "../../apimachinery/errors/field-error.ts";
import { percentFaults } from "../validation/field-rules.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { validateLabelSelector } from "../validation/label-selectors.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet, itemsAt, numberAt, objectAt } from "../../apimachinery/meta/read-fields.ts";
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

export const podDisruptionBudget: KindDefinition = {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  strategy: {
    ...specStatusStrategy,
    allowUnconditionalUpdate: false,
    prepareForCreate(object) {
      object["status"] = {
        disruptionsAllowed: 0,
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
      };
      metadataOf(object)["generation"] = 1;
    },
    validateCreate: (object) => validateSpec(objectAt(object, "spec"), "refused"),
    validateUpdate: (object, old) =>
      validateSpec(
        objectAt(object, "spec"),
        validateLabelSelector(objectAt(objectAt(old, "spec"), "selector"), "").length
          ? "allowed"
          : "refused",
      ),
  },
  subresources: {
    status: {
      ...statusStrategy,
      validateUpdate: (object) => validateStatus(objectAt(object, "status")),
    },
  },
  cells: (object, nowMs) => {
    const spec = objectAt(object, "spec");
    return [
      nameOf(object),
      ...bounds.map((bound) => (isSet(spec[bound]) ? String(spec[bound]) : "N/A")),
      numberAt(objectAt(object, "status"), "disruptionsAllowed"),
      ageOf(object, nowMs),
    ];
  },
};

function validateSpec(spec: JsonObject, invalidValues: "refused" | "allowed"): FieldError[] {
  const policy = spec["unhealthyPodEvictionPolicy"];
  return [
    ...(bounds.every((bound) => isSet(spec[bound]))
      ? [
          invalidInternal(
            "spec",
            ["policy.PodDisruptionBudgetSpec", spec],
            "minAvailable and maxUnavailable cannot be both set",
          ),
        ]
      : []),
    ...bounds.flatMap((bound) =>
      isSet(spec[bound]) ? boundErrors(spec[bound]!, `spec.${bound}`) : [],
    ),
    ...(isObject(spec["selector"])
      ? validateLabelSelector(spec["selector"], "spec.selector", { invalidValues })
      : []),
    ...(typeof policy === "string" && !evictionPolicies.includes(policy)
      ? [notSupported("spec.unhealthyPodEvictionPolicy", policy, evictionPolicies)]
      : []),
  ];
}

function boundErrors(bound: Json, path: string): FieldError[] {
  if (typeof bound !== "string")
    return Number(bound) < 0 ? [invalid(path, bound, "must be greater than or equal to 0")] : [];
  const faults = percentFaults(bound);
  const tooMuch = !faults.length && Number(bound.slice(0, -1)) > 100;
  return [
    ...faults.map((fault) => invalid(path, bound, fault)),
    ...(tooMuch ? [invalid(path, bound, "must not be greater than 100%")] : []),
  ];
}

function validateStatus(status: JsonObject): FieldError[] {
  const negative = counters
    .filter((counter) => numberAt(status, counter) < 0)
    .map((counter) =>
      invalid(`status.${counter}`, numberAt(status, counter), "must be greater than or equal to 0"),
    );
  return [...validateConditions(itemsAt(status, "conditions"), "status.conditions"), ...negative];
}
