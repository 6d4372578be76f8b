// Keys of a ConfigMap or Secret and the files that they become.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateKeyToPath).
import type { JsonObject } from "homeostat/api";
import type { FieldError } from "../../../registry/field-error.ts";
import { optionalNumberAt } from "../../object/read-fields.ts";
import { stringAt } from "../../object/strategy.ts";
import { fileModeErrors, freePathErrors, requiredName } from "./field-rules.ts";

/** One item. */
export function keyToPathErrors(item: JsonObject, path: string): FieldError[] {
  const target = stringAt(item, "path");
  return [
    ...requiredName(stringAt(item, "key"), `${path}.key`),
    ...requiredName(target, `${path}.path`),
    ...freePathErrors(target, `${path}.path`),
    ...fileModeErrors(optionalNumberAt(item, "mode"), `${path}.mode`),
  ];
}
