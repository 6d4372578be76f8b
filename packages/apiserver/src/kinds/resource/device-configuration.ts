// Configuration that is passed to a device's driver unchanged.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go
// (validateDeviceConfiguration, validateRawExtension).
import { type Decoded, encodeJson, isObject, type Json } from "homeostat/api";
import type { DeviceConfiguration } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { csiNameErrors } from "../validation/csi-driver-name.ts";

const maxParameters = 10 * 1024;

/** Stored values may break rules that new ones must keep. */
export type Age = "new" | "stored";

/** `opaque` of one entry; `path` is that of the entry. */
export function validateConfiguration(
  config: Decoded<DeviceConfiguration>,
  path: string,
  age: Age,
): readonly FieldError[] {
  const { opaque } = config;
  if (!opaque) return [fieldError.required(`${path}.opaque`, "")];
  return [
    ...csiNameErrors(opaque.driver ?? "", `${path}.opaque.driver`),
    ...validateRawObject(opaque.parameters, `${path}.opaque.parameters`, age),
  ];
}

/** A JSON object with any fields. */
export function validateRawObject(
  value: Json | undefined,
  path: string,
  age: Age,
): readonly FieldError[] {
  if (!isSet(value)) return [fieldError.required(path, "")];
  if (age === "new" && Buffer.byteLength(encodeJson(value)) > maxParameters)
    return [fieldError.tooLong(path, maxParameters)];
  return errorIf(!isObject(value), () =>
    fieldError.invalid(path, "<value omitted>", "must be a valid JSON object"),
  );
}
