// Conditions that must hold, or must not, before a pod is bound to a device's node.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go
// (validateDeviceBindingParameters).
import type { Decoded } from "homeostat/api";
import type { Device, DeviceRequestAllocationResult } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { labelKeyErrors } from "../validation/name-faults.ts";
import { validateList } from "./bounded-lists.ts";

const maxConditions = 4;

/** Both lists of one device or of one result. */
export function validateBindingConditions(
  holder: Decoded<Device> | Decoded<DeviceRequestAllocationResult>,
  path: string,
): readonly FieldError[] {
  const { bindingConditions, bindingFailureConditions } = holder;
  const conditions = bindingConditions ?? [];
  const failures = bindingFailureConditions ?? [];
  const wanted = `${path}.bindingConditions`;
  const fatal = `${path}.bindingFailureConditions`;
  return [
    ...validateList(conditions, maxConditions, labelKeyErrors, wanted),
    ...validateList(failures, maxConditions, labelKeyErrors, fatal),
    ...eachItem(conditions, wanted, (each, at, i) =>
      errorIf(conditions.indexOf(each) < i, () => fieldError.duplicate(at, each)),
    ),
    ...eachItem(failures, fatal, (each, at, i) => [
      ...errorIf(failures.indexOf(each) < i, () => fieldError.duplicate(at, each)),
      ...errorIf(conditions.includes(each), () =>
        fieldError.invalid(
          at,
          each,
          "bindingFailureConditions must not overlap with bindingConditions",
        ),
      ),
    ]),
    ...errorIf(!conditions.length && failures.length, () =>
      fieldError.invalid(
        wanted,
        bindingConditions,
        "bindingConditions are required to use bindingFailureConditions",
      ),
    ),
    ...errorIf(conditions.length && !failures.length, () =>
      fieldError.invalid(
        fatal,
        bindingFailureConditions,
        "bindingFailureConditions are required to use bindingConditions",
      ),
    ),
  ];
}
