// Validates metav1 conditions in a status.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go (ValidateConditions).
import { type Decoded, formatRegexFault } from "homeostat/api";
import type { Condition } from "homeostat/k8s/meta/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { labelKeyErrors } from "./name-faults.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { createUniqueRule } from "./field-rules.ts";

const statuses = ["False", "True", "Unknown"];
const reasonFormat = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonPattern = new RegExp(`^${reasonFormat}$`);
const maxReason = 1024;
const maxMessage = 32 * 1024;

/** Every violation; `path` is that of the list. */
export function validateConditions(
  conditions: readonly Decoded<Condition>[],
  path: string,
): FieldError[] {
  const unique = createUniqueRule();
  return eachItem(conditions, path, (condition, at) => [
    ...unique(condition.type ?? "", `${at}.type`),
    ...validateCondition(condition, at),
  ]);
}

function validateCondition(condition: Decoded<Condition>, path: string): FieldError[] {
  const status = condition.status ?? "";
  const generation = Number(condition.observedGeneration ?? 0);
  return [
    ...labelKeyErrors(condition.type ?? "", `${path}.type`),
    ...errorIf(!statuses.includes(status), () =>
      fieldError.notSupported(`${path}.status`, status, statuses),
    ),
    ...errorIf(generation < 0, () =>
      fieldError.invalid(
        `${path}.observedGeneration`,
        generation,
        "must be greater than or equal to zero",
      ),
    ),
    ...errorIf(!isSet(condition.lastTransitionTime), () =>
      fieldError.required(`${path}.lastTransitionTime`, ""),
    ),
    ...reasonErrors(condition.reason ?? "", `${path}.reason`),
    ...errorIf(Buffer.byteLength(condition.message ?? "") > maxMessage, () =>
      fieldError.tooLong(`${path}.message`, maxMessage),
    ),
  ];
}

function reasonErrors(reason: string, path: string): FieldError[] {
  if (!reason) return [fieldError.required(path, "")];
  const faults = reasonPattern.test(reason)
    ? []
    : [
        formatRegexFault(
          "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
          reasonFormat,
          "my_name",
          "MY_NAME",
          "MyName",
          "ReasonA,ReasonB",
          "ReasonA:ReasonB",
        ),
      ];
  return [
    ...faults.map((fault) => fieldError.invalid(path, reason, fault)),
    ...errorIf(Buffer.byteLength(reason) > maxReason, () => fieldError.tooLong(path, maxReason)),
  ];
}
