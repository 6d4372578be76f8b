// Validation of seccomp profiles: of fields, of the annotations that they replaced, and of both
// together.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateSeccompProfileField,
// ValidateSeccompProfile, validateSeccompAnnotationsAndFields).
import type { Decoded } from "homeostat/api";
import type { PodSpec, SeccompProfile, SecurityContext } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../../../apimachinery/meta/read-fields.ts";
import { visitContainers } from "../../containers/visit-containers.ts";
import { localhostPrefix, validateProfileAnnotation } from "./validate-profile-annotation.ts";
import { descendingPathErrors } from "../../../../validation/field-rules.ts";

const podAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
const containerAnnotation = "container.seccomp.security.alpha.kubernetes.io/";
const runtimeDefaults = ["runtime/default", "docker/default"];

/** A `seccompProfile` field. */
export function validateSeccompProfile(
  profile: Decoded<SeccompProfile> | null | undefined,
  path: string,
): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const at = `${path}.localhostProfile`;
  const errors = typeErrors(type ?? "", `${path}.type`);
  if (type !== "Localhost") {
    const onlyLocalhost = "can only be set when seccomp type is Localhost";
    const shown = ["core.SeccompProfile", profile] as const;
    return [
      ...errors,
      ...errorIf(isSet(localhostProfile), () =>
        fieldError.invalidInternal(at, shown, onlyLocalhost),
      ),
    ];
  }
  return [
    ...errors,
    ...(isSet(localhostProfile)
      ? descendingPathErrors(localhostProfile, at)
      : [fieldError.required(at, "must be set when seccomp type is Localhost")]),
  ];
}

function typeErrors(type: string, path: string): FieldError[] {
  const types = ["Localhost", "RuntimeDefault", "Unconfined"];
  if (!type) return [fieldError.required(path, "type is required when seccompProfile is set")];
  return errorIf(!types.includes(type), () => fieldError.notSupported(path, type, types));
}

/** Validates the annotations by themselves. */
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
  return profile.startsWith(localhostPrefix)
    ? descendingPathErrors(profile.slice(localhostPrefix.length), path)
    : [fieldError.invalid(path, profile, "must be a valid seccomp profile")];
}

/** An annotation and a field of the same pod or container must agree. */
export function validateSeccompAgreement(
  annotations: Readonly<Record<string, string>>,
  spec: Decoded<PodSpec>,
  path: string,
): FieldError[] {
  const errorsOf = (
    key: string,
    context: Decoded<Pick<SecurityContext, "seccompProfile">> | null | undefined,
    at: string,
  ): FieldError[] => {
    const profile = context?.seccompProfile;
    const annotation = annotations[key];
    return profile && annotation !== undefined
      ? validateProfileAnnotation(annotation, profile, `${at}.securityContext.seccompProfile`, {
          plugIn: "seccomp",
          runtimeDefaults,
        })
      : [];
  };
  return [
    ...errorsOf(podAnnotation, spec.securityContext, path),
    ...visitContainers(spec, path, (container, at) =>
      errorsOf(`${containerAnnotation}${container.name ?? ""}`, container.securityContext, at),
    ),
  ];
}
