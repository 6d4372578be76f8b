// What a resizer may say about a claim: sizes, and how far each of them has got.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidatePersistentVolumeClaimStatusUpdate).
import { type JsonObject, labelKeyFaults } from "homeostat/api";
import {
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { textMapAt, textsAt, objectAt } from "../../apimachinery/meta/read-fields.ts";
import { isNativeResource } from "./resources/resource-names.ts";
import { amountErrors, basicAmountErrors, sortedEntries } from "./resource-rules.ts";

const resizeStates = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
].sort();

/** Every breach of a claim's status. */
export function validateClaimStatus(object: JsonObject): FieldError[] {
  const status = objectAt(object, "status");
  const states = "status.allocatedResourceStatuses";
  const amounts = "status.allocatedResources";
  return [
    ...(textsAt(objectAt(object, "spec"), "accessModes").length
      ? []
      : [required("Spec.accessModes", "")]),
    ...sortedEntries(textMapAt(status, "capacity")).flatMap(([name, amount]) =>
      basicAmountErrors(amount, `status.capacity[${name}]`),
    ),
    ...sortedEntries(textMapAt(status, "allocatedResourceStatuses")).flatMap(([name, state]) => [
      ...resourceKeyErrors(name, states),
      ...(resizeStates.includes(state) ? [] : [notSupported(states, name, resizeStates)]),
    ]),
    ...sortedEntries(textMapAt(status, "allocatedResources")).flatMap(([name, amount]) => {
      const errors = resourceKeyErrors(name, amounts);
      const at = `${amounts}[${name}]`;
      return errors.length
        ? errors
        : [
            ...basicAmountErrors(amount, at),
            ...(amount.startsWith("-") ? [] : amountErrors("storage", amount, at)),
          ];
    }),
  ];
}

/** Of the resources that are Kubernetes' own, storage alone. */
function resourceKeyErrors(name: string, path: string): FieldError[] {
  const faults = labelKeyFaults(name);
  if (faults.length) return faults.map((fault) => invalid(path, name, fault));
  return isNativeResource(name) && name !== "storage"
    ? [notSupported(path, name, ["storage"])]
    : [];
}
