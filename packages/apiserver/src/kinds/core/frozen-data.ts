// What ConfigMaps and Secrets share: a size limit and data that can be frozen.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateConfigMapUpdate,
// ValidateSecretUpdate).
import { equalJson, type JsonObject } from "homeostat/api";
import { type FieldError, forbidden } from "../../apimachinery/errors/field-error.ts";

/** Most bytes that the values of one object may hold together. */
export const maxDataBytes = 1024 * 1024;

/** Bytes behind base64 values. */
export function base64Size(values: JsonObject): number {
  return Object.values(values).reduce<number>(
    (sum, value) => sum + Buffer.from(String(value ?? ""), "base64").length,
    0,
  );
}

/** Errors for every field that changed although the old object was immutable. */
export function frozenFields(
  object: JsonObject,
  old: JsonObject,
  fields: readonly string[],
): FieldError[] {
  if (old["immutable"] !== true) return [];
  const text = "field is immutable when `immutable` is set";
  return [
    ...(object["immutable"] === true ? [] : ["immutable"]),
    ...fields.filter((field) => !equalJson(object[field] ?? {}, old[field] ?? {})),
  ].map((field) => forbidden(field, text));
}
