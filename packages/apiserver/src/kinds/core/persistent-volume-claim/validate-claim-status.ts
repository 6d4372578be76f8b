// The status of a claim: sizes, and the progress of a resize.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidatePersistentVolumeClaimStatusUpdate).
import { type Decoded, labelKeyFaults } from "homeostat/api";
import type { PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { finalizerErrors } from "../../validation/validate-object.ts";
import { isNativeResource } from "../resources/resource-names.ts";
import {
  quantityErrors,
  basicQuantityErrors,
  sortedEntries,
} from "../resources/validate-resource-lists.ts";

const resizeStates = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
].sort();

/** Every error of a claim's status. */
export function validateClaimStatus(object: Decoded<PersistentVolumeClaim>): FieldError[] {
  const status = object.status ?? {};
  const states = "status.allocatedResourceStatuses";
  const amounts = "status.allocatedResources";
  return [
    ...finalizerErrors(object),
    ...errorIf(!(object.spec?.accessModes ?? []).length, () =>
      fieldError.required("Spec.accessModes", ""),
    ),
    ...sortedEntries(status.capacity ?? {}).flatMap(([name, amount]) =>
      basicQuantityErrors(amount, `status.capacity[${name}]`),
    ),
    ...sortedEntries(status.allocatedResourceStatuses ?? {}).flatMap(([name, state]) => [
      ...resourceKeyErrors(name, states),
      ...errorIf(!resizeStates.includes(state), () =>
        fieldError.notSupported(states, name, resizeStates),
      ),
    ]),
    ...sortedEntries(status.allocatedResources ?? {}).flatMap(([name, amount]) => {
      const errors = resourceKeyErrors(name, amounts);
      const at = `${amounts}[${name}]`;
      return errors.length
        ? errors
        : [
            ...basicQuantityErrors(amount, at),
            ...(amount.startsWith("-") ? [] : quantityErrors("storage", amount, at)),
          ];
    }),
  ];
}

/** Of native resources, only storage is valid. */
function resourceKeyErrors(name: string, path: string): FieldError[] {
  const faults = labelKeyFaults(name);
  if (faults.length) return faults.map((fault) => fieldError.invalid(path, name, fault));
  return errorIf(isNativeResource(name) && name !== "storage", () =>
    fieldError.notSupported(path, name, ["storage"]),
  );
}
