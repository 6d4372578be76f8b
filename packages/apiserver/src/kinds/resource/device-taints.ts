// Taints of devices and the tolerations of requests.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateDeviceTaint,
// validateDeviceToleration).
import { labelValueFaults, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { labelKeyErrors } from "../validation/name-faults.ts";
import { stringAt } from "../../apimachinery/meta/read-fields.ts";

const effects = ["NoExecute", "NoSchedule", "None"];
const operators = ["Equal", "Exists"];

const valueErrors = (value: string, path: string): FieldError[] =>
  labelValueFaults(value).map((fault) => invalid(path, value, fault));

/** One taint. */
export function validateDeviceTaint(taint: JsonObject, path: string): FieldError[] {
  const effect = stringAt(taint, "effect");
  return [
    ...labelKeyErrors(stringAt(taint, "key"), `${path}.key`),
    ...valueErrors(stringAt(taint, "value"), `${path}.value`),
    ...(effect ? effectErrors(effect, path) : [required(`${path}.effect`, "")]),
  ];
}

/** One toleration. */
export function validateDeviceToleration(toleration: JsonObject, path: string): FieldError[] {
  const key = stringAt(toleration, "key");
  const effect = stringAt(toleration, "effect");
  return [
    ...(key ? labelKeyErrors(key, `${path}.key`) : []),
    ...operatorErrors(stringAt(toleration, "operator"), stringAt(toleration, "value"), path),
    ...(effect ? effectErrors(effect, path) : []),
  ];
}

function operatorErrors(operator: string, value: string, path: string): FieldError[] {
  if (operator === "Exists")
    return value ? [invalid(`${path}.value`, value, "must be empty for operator `Exists`")] : [];
  if (operator === "Equal") return valueErrors(value, `${path}.value`);
  return [
    operator
      ? notSupported(`${path}.operator`, operator, operators)
      : required(`${path}.operator`, ""),
  ];
}

function effectErrors(effect: string, path: string): FieldError[] {
  return effects.includes(effect) ? [] : [notSupported(`${path}.effect`, effect, effects)];
}
