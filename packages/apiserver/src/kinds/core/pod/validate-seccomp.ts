// Seccomp profiles: as fields, as the annotations of old, and both agreeing.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateSeccompProfileField,
// ValidateSeccompProfile, validateSeccompAnnotationsAndFields).
import type { JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  invalidInternal,
  notSupported,
  required,
} from "../../../registry/field-error.ts";
import { mutableAt, optionalTextAt } from "../../object/read-fields.ts";
import { objectAt, stringAt } from "../../object/strategy.ts";
import { visitContainers } from "./containers.ts";
import { descendingPathErrors } from "./field-rules.ts";

const podAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
const containerAnnotation = "container.seccomp.security.alpha.kubernetes.io/";
const localhost = "localhost/";
const runtimeDefaults = ["runtime/default", "docker/default"];

/** A `seccompProfile` field. */
export function validateSeccompProfile(
  profile: JsonObject | undefined,
  path: string,
): FieldError[] {
  if (!profile) return [];
  const type = stringAt(profile, "type");
  const file = optionalTextAt(profile, "localhostProfile");
  const errors = typeErrors(type, `${path}.type`);
  if (type !== "Localhost") {
    return file === undefined
      ? errors
      : [
          ...errors,
          invalidInternal(
            `${path}.localhostProfile`,
            ["core.SeccompProfile", profile],
            "can only be set when seccomp type is Localhost",
          ),
        ];
  }
  return [
    ...errors,
    ...(file === undefined
      ? [required(`${path}.localhostProfile`, "must be set when seccomp type is Localhost")]
      : descendingPathErrors(file, `${path}.localhostProfile`)),
  ];
}

function typeErrors(type: string, path: string): FieldError[] {
  const types = ["Localhost", "RuntimeDefault", "Unconfined"];
  if (!type) return [required(path, "type is required when seccompProfile is set")];
  return types.includes(type) ? [] : [notSupported(path, type, types)];
}

/** The annotations by themselves. */
export function validateSeccompAnnotations(
  annotations: Readonly<Record<string, string>>,
  path: string,
): FieldError[] {
  return Object.entries(annotations)
    .filter(([key]) => key === podAnnotation || key.startsWith(containerAnnotation))
    .flatMap(([key, profile]) => annotationErrors(profile, `${path}.${key}`));
}

function annotationErrors(profile: string, path: string): FieldError[] {
  if (runtimeDefaults.includes(profile) || profile === "unconfined") return [];
  return profile.startsWith(localhost)
    ? descendingPathErrors(profile.slice(localhost.length), path)
    : [invalid(path, profile, "must be a valid seccomp profile")];
}

/** Where both an annotation and a field are there, they must say the same. */
export function validateSeccompAgreement(
  annotations: Readonly<Record<string, string>>,
  spec: JsonObject,
  path: string,
): FieldError[] {
  const errorsOf = (key: string, context: JsonObject, at: string): FieldError[] => {
    const profile = mutableAt(context, "seccompProfile");
    const annotation = annotations[key];
    return profile && annotation !== undefined
      ? agreementErrors(annotation, profile, `${at}.securityContext.seccompProfile`)
      : [];
  };
  return [
    ...errorsOf(podAnnotation, objectAt(spec, "securityContext"), path),
    ...visitContainers(spec, path, (container, at) =>
      errorsOf(
        `${containerAnnotation}${stringAt(container, "name")}`,
        objectAt(container, "securityContext"),
        at,
      ),
    ),
  ];
}

function agreementErrors(annotation: string, profile: JsonObject, path: string): FieldError[] {
  const type = stringAt(profile, "type");
  const matches =
    type === "Unconfined"
      ? annotation === "unconfined"
      : type === "RuntimeDefault"
        ? runtimeDefaults.includes(annotation)
        : type !== "Localhost" || annotation.startsWith(localhost);
  if (!matches)
    return [forbidden(`${path}.type`, "seccomp type in annotation and field must match")];
  const file = optionalTextAt(profile, "localhostProfile");
  return type === "Localhost" && annotation.slice(localhost.length) !== file
    ? [forbidden(`${path}.localhostProfile`, "seccomp profile in annotation and field must match")]
    : [];
}
