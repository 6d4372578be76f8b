// Numbers or percentages that bound disruption, e.g. of a rolling update.
// Upstream: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go (ValidatePositiveIntOrPercent,
// IsNotMoreThan100Percent, getIntOrPercentValue).
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { nonNegative, percentFaults } from "./field-rules.ts";

/** A decoded IntOrString; absent means 0. */
type IntOrPercent = string | number | null | undefined;

/** Requires a non-negative number or a percentage. */
export function validatePositive(value: IntOrPercent, path: string): FieldError[] {
  if (typeof value === "string")
    return percentFaults(value).map((fault) => fieldError.invalid(path, value, fault));
  return nonNegative(value ?? 0, path);
}

/** Refuses percentages above 100. */
export function validateNotMoreThan100Percent(value: IntOrPercent, path: string): FieldError[] {
  return errorIf(typeof value === "string" && /^[0-9]+%$/.test(value) && valueOf(value) > 100, () =>
    fieldError.invalid(path, value, "must not be greater than 100%"),
  );
}

/** The number before the percent sign or the number itself; 0 for malformed text. */
export function valueOf(value: IntOrPercent): number {
  if (typeof value !== "string") return value ?? 0;
  const digits = /^([0-9]+)%?$/.exec(value);
  return digits ? Number(digits[1]) : 0;
}
