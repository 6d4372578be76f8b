// Settings that are handed to a device's driver as they are.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go
// (validateDeviceConfiguration, validateRawExtension).
import { encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  invalid,
  required,
  tooLong,
} from "../../apimachinery/errors/field-error.ts";
import { isSet, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { csiNameErrors } from "../validation/csi-driver-name.ts";

const maxParameters = 10 * 1024;

/**
 * Whether parameters are new or were there before: those may be longer than what is allowed now.
 */
export type Age = "new" | "stored";

/** `opaque` of one entry; `path` is that of the entry. */
export function validateConfiguration(
  config: JsonObject,
  path: string,
  age: Age,
): readonly FieldError[] {
  const opaque = config["opaque"];
  if (!isObject(opaque)) return [required(`${path}.opaque`, "")];
  return [
    ...csiNameErrors(stringAt(opaque, "driver"), `${path}.opaque.driver`),
    ...validateRawObject(opaque["parameters"], `${path}.opaque.parameters`, age),
  ];
}

/** A JSON object of any form. */
export function validateRawObject(
  value: Json | undefined,
  path: string,
  age: Age,
): readonly FieldError[] {
  if (!isSet(value)) return [required(path, "")];
  if (age === "new" && Buffer.byteLength(encodeJson(value)) > maxParameters)
    return [tooLong(path, maxParameters)];
  return isObject(value) ? [] : [invalid(path, "<value omitted>", "must be a valid JSON object")];
}
