// Conditions that must hold, or must not, before a pod is bound to a device's node.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go
// (validateDeviceBindingParameters).
import type { Decoded } from "homeostat/api";
import type { Device, DeviceRequestAllocationResult } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
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
    ...conditions.flatMap((each, i) =>
      errorIf(conditions.indexOf(each) < i, () => fieldError.duplicate(`${wanted}[${i}]`, each)),
    ),
    ...failures.flatMap((each, i) => [
      ...errorIf(failures.indexOf(each) < i, () => fieldError.duplicate(`${fatal}[${i}]`, each)),
      ...errorIf(conditions.includes(each), () =>
        fieldError.invalid(
          `${fatal}[${i}]`,
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
