// Numbers or percentages that bound a rolling update.
// Upstream: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go (ValidatePositiveIntOrPercent,
// IsNotMoreThan100Percent).
import type { Json } from "homeostat/api";
import { type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import { nonNegative, percentFaults } from "../validation/field-rules.ts";

/** A whole number, or a percentage. */
export function intOrPercentErrors(value: Json | undefined, path: string): FieldError[] {
  if (typeof value === "string")
    return percentFaults(value).map((fault) => invalid(path, value, fault));
  return nonNegative(Number(value ?? 0), path);
}

/** Not above all there is. */
export function overAllErrors(value: Json | undefined, path: string): FieldError[] {
  return typeof value === "string" && /^[0-9]+%$/.test(value) && amountOf(value) > 100
    ? [invalid(path, value, "must not be greater than 100%")]
    : [];
}

/** The number, or the number of percent; what cannot be read is nothing. */
export function amountOf(value: Json | undefined): number {
  if (typeof value !== "string") return Number(value ?? 0);
  const digits = /^([0-9]+)%?$/.exec(value);
  return digits ? Number(digits[1]) : 0;
}
