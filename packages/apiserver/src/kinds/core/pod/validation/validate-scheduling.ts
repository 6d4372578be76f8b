// Validation of topology spread constraints, tolerations and scheduling gates.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (validateTopologySpreadConstraints, ValidateTolerations, validateSchedulingGates).
import { type Decoded, labelValueFaults } from "homeostat/api";
import type {
  PodSchedulingGate,
  Toleration,
  TopologySpreadConstraint,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import { validateLabelSelector } from "../../../validation/label-selectors.ts";
import { isSet } from "../../../../apimachinery/meta/read-fields.ts";
import { optionalValid, positive, qualifiedNameErrors } from "../../../validation/field-rules.ts";
import { validateLabelKeys } from "./validate-label-keys.ts";

/** `topologySpreadConstraints`. */
export function validateSpread(
  constraints: readonly Decoded<TopologySpreadConstraint>[],
  path: string,
): FieldError[] {
  return eachItem(constraints, path, (constraint, at, i) => {
    const topology = constraint.topologyKey ?? "";
    const action = constraint.whenUnsatisfiable ?? "";
    const selector = constraint.labelSelector;
    const repeated = constraints
      .slice(i + 1)
      .some(
        (other) =>
          (other.topologyKey ?? "") === topology && (other.whenUnsatisfiable ?? "") === action,
      );
    return [
      ...positive(constraint.maxSkew ?? 0, `${at}.maxSkew`),
      ...errorIf(!topology, () => fieldError.required(`${at}.topologyKey`, "can not be empty")),
      ...errorIf(action !== "DoNotSchedule" && action !== "ScheduleAnyway", () =>
        fieldError.notSupported(`${at}.whenUnsatisfiable`, action, [
          "DoNotSchedule",
          "ScheduleAnyway",
        ]),
      ),
      ...errorIf(repeated, () =>
        fieldError.duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topology}, ${action}}`),
      ),
      ...minDomainErrors(constraint.minDomains ?? undefined, action, `${at}.minDomains`),
      ...(["nodeAffinityPolicy", "nodeTaintsPolicy"] as const).flatMap((name) =>
        inclusionErrors(constraint[name] ?? undefined, `${at}.${name}`),
      ),
      ...validateLabelKeys(selector, constraint.matchLabelKeys ?? [], [], at),
      ...(selector ? validateLabelSelector(selector, `${at}.labelSelector`) : []),
    ];
  });
}

function minDomainErrors(count: number | undefined, action: string, path: string): FieldError[] {
  if (count === undefined) return [];
  return [
    ...positive(count, path),
    ...errorIf(action !== "DoNotSchedule", () =>
      fieldError.invalid(
        path,
        count,
        `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`,
      ),
    ),
  ];
}

function inclusionErrors(policy: string | undefined, path: string): FieldError[] {
  return errorIf(policy !== undefined && policy !== "Honor" && policy !== "Ignore", () =>
    fieldError.notSupported(path, policy, ["Honor", "Ignore"]),
  );
}

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** An item of `tolerations`. The operators Lt and Gt need a feature gate that is off. */
export function validateToleration(toleration: Decoded<Toleration>, path: string): FieldError[] {
  const key = toleration.key ?? "";
  const operator = toleration.operator ?? "";
  const effect = toleration.effect ?? "";
  return [
    ...optionalValid(qualifiedNameErrors, key, `${path}.key`),
    ...errorIf(!key && operator !== "Exists", () =>
      fieldError.invalid(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    ),
    ...errorIf(isSet(toleration.tolerationSeconds) && effect !== "NoExecute", () =>
      fieldError.invalid(
        `${path}.effect`,
        effect,
        "effect must be 'NoExecute' when `tolerationSeconds` is set",
      ),
    ),
    ...operatorErrors(operator, toleration.value ?? "", `${path}.operator`),
    ...errorIf(effect && !effects.includes(effect), () =>
      fieldError.notSupported(`${path}.effect`, effect, effects),
    ),
  ];
}

function operatorErrors(operator: string, value: string, path: string): FieldError[] {
  switch (operator) {
    case "":
    case "Equal": {
      const faults = labelValueFaults(value);
      return errorIf(faults.length, () => fieldError.invalid(path, value, faults.join(";")));
    }
    case "Exists":
      return errorIf(value, () =>
        fieldError.invalid(path, value, "value must be empty when `operator` is 'Exists'"),
      );
    default:
      return [
        fieldError.notSupported(
          path,
          operator,
          operator === "Lt" || operator === "Gt"
            ? ["Equal", "Exists", "Lt", "Gt"]
            : ["Equal", "Exists"],
        ),
      ];
  }
}

/** `schedulingGates`. */
export function validateSchedulingGates(
  gates: readonly Decoded<PodSchedulingGate>[],
  path: string,
): FieldError[] {
  const names = gates.map((gate) => gate.name ?? "");
  return eachItem(names, path, (name, at, i) => [
    ...qualifiedNameErrors(name, at),
    ...errorIf(names.indexOf(name) < i, () => fieldError.duplicate(at, name)),
  ]);
}
