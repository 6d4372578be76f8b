// Taints of devices and tolerations of requests: defaults and validation.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateDeviceTaint,
// validateDeviceToleration).
import { type Decoded, labelValueFaults } from "homeostat/api";
import type { DeviceTaint, DeviceToleration } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { optionalValid, requiredValid } from "../validation/field-rules.ts";
import { labelKeyErrors } from "../validation/name-faults.ts";

const effects = ["NoExecute", "NoSchedule", "None"];
const operators = ["Equal", "Exists"];

const valueErrors = (value: string, path: string): FieldError[] =>
  labelValueFaults(value).map((fault) => fieldError.invalid(path, value, fault));

/** One taint. */
export function validateDeviceTaint(taint: Decoded<DeviceTaint>, path: string): FieldError[] {
  return [
    ...labelKeyErrors(taint.key ?? "", `${path}.key`),
    ...valueErrors(taint.value ?? "", `${path}.value`),
    ...requiredValid(effectErrors, taint.effect, `${path}.effect`),
  ];
}

/** One toleration. */
export function validateDeviceToleration(
  { key, operator, value, effect }: Decoded<DeviceToleration>,
  path: string,
): FieldError[] {
  return [
    ...optionalValid(labelKeyErrors, key, `${path}.key`),
    ...operatorErrors(operator ?? "", value ?? "", path),
    ...optionalValid(effectErrors, effect, `${path}.effect`),
  ];
}

function operatorErrors(operator: string, value: string, path: string): FieldError[] {
  if (operator === "Exists")
    return errorIf(value, () =>
      fieldError.invalid(`${path}.value`, value, "must be empty for operator `Exists`"),
    );
  if (operator === "Equal") return valueErrors(value, `${path}.value`);
  return [
    operator
      ? fieldError.notSupported(`${path}.operator`, operator, operators)
      : fieldError.required(`${path}.operator`, ""),
  ];
}

function effectErrors(effect: string, path: string): FieldError[] {
  return errorIf(!effects.includes(effect), () => fieldError.notSupported(path, effect, effects));
}

/** Sets the operators of tolerations. */
export function setTolerationDefaults({
  tolerations,
}: {
  readonly tolerations?: Decoded<DeviceToleration>[] | null;
}): void {
  for (const toleration of tolerations ?? []) toleration.operator ||= "Equal";
}
