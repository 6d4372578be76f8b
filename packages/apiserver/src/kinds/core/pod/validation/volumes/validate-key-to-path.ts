// Validation of the keys of a ConfigMap or Secret that a volume projects to files.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateKeyToPath).
import type { Decoded } from "homeostat/api";
import type { KeyToPath } from "homeostat/k8s/core/v1";
import type { FieldError } from "../../../../../apimachinery/errors/field-error.ts";
import {
  fileModeErrors,
  freePathErrors,
  requiredName,
} from "../../../../validation/field-rules.ts";

/** Validates one item. */
export function keyToPathErrors(item: Decoded<KeyToPath>, path: string): FieldError[] {
  const target = item.path ?? "";
  return [
    ...requiredName(item.key ?? "", `${path}.key`),
    ...requiredName(target, `${path}.path`),
    ...freePathErrors(target, `${path}.path`),
    ...fileModeErrors(item.mode ?? undefined, `${path}.mode`),
  ];
}
