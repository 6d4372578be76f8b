// The size limit and the immutable data of ConfigMaps and Secrets.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateConfigMapUpdate,
// ValidateSecretUpdate).
import { equalJson, type Json } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";

/** The most bytes that the values of one object may hold together. */
export const maxDataBytes = 1024 * 1024;

/** The number of bytes that base64 values encode. */
export const base64Size = (values: Readonly<Record<string, string>>): number =>
  Object.values(values).reduce((sum, value) => sum + Buffer.from(value, "base64").length, 0);

/** Refuses changes of the fields, and of `immutable` itself, once `immutable` is true. */
export function validateImmutableData<T extends { immutable?: boolean | null }>(
  object: T,
  old: NoInfer<T>,
  fields: readonly (keyof NoInfer<T> & string)[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const changed = fields.filter(
    (field) => !equalJson((object[field] ?? {}) as Json, (old[field] ?? {}) as Json),
  );
  return [...(object.immutable === true ? [] : ["immutable"]), ...changed].map((field) =>
    fieldError.forbidden(field, "field is immutable when `immutable` is set"),
  );
}
