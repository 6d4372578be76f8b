// Keys of a ConfigMap or Secret and the files that they become.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateKeyToPath).
import type { JsonObject } from "homeostat/api";
import type { FieldError } from "../../../../../apimachinery/errors/field-error.ts";
import { optionalNumberAt, stringAt } from "../../../../../apimachinery/meta/read-fields.ts";
import {
  fileModeErrors,
  freePathErrors,
  requiredName,
} from "../../../../validation/field-rules.ts";

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
