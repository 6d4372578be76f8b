// Comparison of a profile's annotation, which fields have replaced, with the field.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (validateAppArmorAnnotationsAndFieldsMatchOnCreate, validateSeccompAnnotationsAndFieldsMatch).
import type { Decoded } from "homeostat/api";
import type { AppArmorProfile, SeccompProfile } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../../../apimachinery/errors/field-error.ts";

/** What precedes the file of a local profile in an annotation: `localhost/my-profile`. */
export const localhostPrefix = "localhost/";

/** The field at `path` must agree with the annotation. */
export function validateProfileAnnotation(
  annotation: string,
  { type, localhostProfile }: Decoded<AppArmorProfile | SeccompProfile>,
  path: string,
  {
    plugIn,
    runtimeDefaults,
  }: {
    readonly plugIn: "apparmor" | "seccomp";
    readonly runtimeDefaults: readonly string[];
  },
): FieldError[] {
  if (!hasType(annotation, type ?? "", runtimeDefaults))
    return [
      fieldError.forbidden(`${path}.type`, `${plugIn} type in annotation and field must match`),
    ];
  return errorIf(
    type === "Localhost" && annotation.slice(localhostPrefix.length) !== localhostProfile,
    () =>
      fieldError.forbidden(
        `${path}.localhostProfile`,
        `${plugIn} profile in annotation and field must match`,
      ),
  );
}

function hasType(annotation: string, type: string, runtimeDefaults: readonly string[]): boolean {
  switch (type) {
    case "Unconfined":
      return annotation === "unconfined";
    case "RuntimeDefault":
      return runtimeDefaults.includes(annotation);
    case "Localhost":
      return annotation.startsWith(localhostPrefix);
    default:
      return true;
  }
}
