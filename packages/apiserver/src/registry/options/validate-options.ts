// Validates the options of requests, with upstream's messages.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go.
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { invalidError } from "../../apimachinery/errors/api-errors.ts";

/** `dryRun` holds `All` or nothing. */
export function validateDryRun(dryRun: readonly string[]): readonly FieldError[] {
  return dryRun.every((value) => value === "All")
    ? []
    : [fieldError.notSupported("dryRun", [...dryRun], ["All"])];
}

/** `fieldValidation` is empty or one of three. */
export function validateFieldValidation(value: string): readonly FieldError[] {
  const supported = ["", "Ignore", "Strict", "Warn"];
  return supported.includes(value)
    ? []
    : [fieldError.notSupported("fieldValidation", value, supported)];
}

/** Throws 422 in the name of the options' kind when there are errors. */
export function assertOptions(kind: string, errors: readonly FieldError[]): void {
  if (errors.length) throw invalidError({ group: "meta.k8s.io", kind }, "", errors);
}
