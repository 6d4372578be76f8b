// The size limit and the immutable data of ConfigMaps and Secrets.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateConfigMapUpdate,
// ValidateSecretUpdate).
import { equalJson, type Json } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { ValidationContext } from "../../apimachinery/rest/write-context.ts";
import { hasEmptied } from "../definition/default-strategy.ts";

/** The most bytes that the values of one object may hold together. */
export const maxDataBytes = 1024 * 1024;

/** The number of bytes that base64 values encode. */
export const base64Size = (values: Readonly<Record<string, string>>): number =>
  Object.values(values).reduce((sum, value) => sum + Buffer.from(value, "base64").length, 0);

/** What must not change. */
export interface ImmutableData<T> {
  readonly fields: readonly (keyof T & string)[];
  /** Those that upstream's defaults make empty where they are absent. */
  readonly defaulted?: readonly (keyof T & string)[];
  readonly context: ValidationContext;
}

/** Refuses changes of the fields, and of `immutable` itself, once `immutable` is true. */
export function validateImmutableData<T extends { immutable?: boolean | null }>(
  object: T,
  old: NoInfer<T>,
  { fields, defaulted = [], context }: ImmutableData<NoInfer<T>>,
): FieldError[] {
  if (old.immutable !== true) return [];
  // A field that the body has empty differs from the stored one, which is absent.
  const changed = fields.filter(
    (field) =>
      (!defaulted.includes(field) && hasEmptied(object, context, field)) ||
      !equalJson((object[field] ?? {}) as Json, (old[field] ?? {}) as Json),
  );
  return [...(object.immutable === true ? [] : ["immutable"]), ...changed].map((field) =>
    fieldError.forbidden(field, "field is immutable when `immutable` is set"),
  );
}
