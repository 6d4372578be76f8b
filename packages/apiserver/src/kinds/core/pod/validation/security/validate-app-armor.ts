// Validation of AppArmor profiles: of fields, of the annotations that they replaced, and of both
// together; and the conversion of an annotation to a field.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateAppArmorProfileField,
// ValidateAppArmorPodAnnotations, validateAppArmorAnnotationsAndFieldsMatchOnCreate),
// pkg/api/pod/util.go (ApparmorFieldForAnnotation).
import type { Decoded } from "homeostat/api";
import type { AppArmorProfile, PodSpec } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import {
  errorIf,
  type FieldError,
  quoteGo,
} from "../../../../../apimachinery/errors/field-error.ts";
import { visitContainers } from "../../containers/visit-containers.ts";
import { localhostPrefix, validateProfileAnnotation } from "./validate-profile-annotation.ts";

export const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";
const runtimeDefaults = ["runtime/default"];
const longestPath = 4095;
const types = ["Localhost", "RuntimeDefault", "Unconfined"];

/** An `appArmorProfile` field. */
export function validateAppArmorProfile(
  profile: Decoded<AppArmorProfile> | null | undefined,
  path: string,
): FieldError[] {
  if (!profile) return [];
  const type = profile.type ?? "";
  const file = profile.localhostProfile ?? undefined;
  if (type === "Localhost") return localhostErrors(file, `${path}.localhostProfile`);
  if (!type)
    return [fieldError.required(`${path}.type`, "type is required when appArmorProfile is set")];
  if (!types.includes(type)) return [fieldError.notSupported(`${path}.type`, type, types)];
  return errorIf(file !== undefined, () =>
    fieldError.invalid(
      `${path}.localhostProfile`,
      file,
      "can only be set when AppArmor type is Localhost",
    ),
  );
}

function localhostErrors(file: string | undefined, path: string): FieldError[] {
  if (file === undefined)
    return [fieldError.required(path, "must be set when AppArmor type is Localhost")];
  const errors: FieldError[] = [];
  if (file.trim() !== file)
    errors.push(fieldError.invalid(path, file, "must not be padded with whitespace"));
  else if (!file)
    errors.push(fieldError.required(path, "must be set when AppArmor type is Localhost"));
  if (Buffer.byteLength(file) > longestPath) errors.push(fieldError.tooLong(path, longestPath));
  return errors;
}

/** Validates the annotations by themselves: each names a container and has a known form. */
export function validateAppArmorAnnotations(
  annotations: Readonly<Record<string, string>>,
  spec: Decoded<PodSpec>,
  path: string,
): FieldError[] {
  const names = visitContainers(spec, "", (container) => [container.name ?? ""]);
  return Object.entries(annotations)
    .filter(([key]) => key.startsWith(appArmorAnnotation))
    .flatMap(([key, profile]) => {
      const name = key.slice(appArmorAnnotation.length);
      return [
        ...errorIf(!names.includes(name), () =>
          fieldError.invalid(`${path}[${key}]`, name, "container not found"),
        ),
        ...errorIf(!isKnownForm(profile), () =>
          fieldError.invalid(
            `${path}[${key}]`,
            profile,
            `invalid AppArmor profile name: ${quoteGo(profile)}`,
          ),
        ),
      ];
    });
}

const isKnownForm = (profile: string): boolean =>
  profile === "" ||
  profile === "runtime/default" ||
  profile === "unconfined" ||
  profile.startsWith(localhostPrefix);

/** Converts an annotation to the field; undefined for a value that no field has. */
export function appArmorField(annotation: string): Decoded<AppArmorProfile> | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  return annotation.startsWith(localhostPrefix) && annotation.length > localhostPrefix.length
    ? { type: "Localhost", localhostProfile: annotation.slice(localhostPrefix.length) }
    : undefined;
}

/** An annotation and a field of the same container must agree. */
export function validateAppArmorAgreement(
  annotations: Readonly<Record<string, string>>,
  spec: Decoded<PodSpec>,
  path: string,
): FieldError[] {
  if (spec.os?.name === "windows") return [];
  const ofPod = spec.securityContext?.appArmorProfile;
  return visitContainers(spec, path, (container, at) => {
    const profile = container.securityContext?.appArmorProfile ?? ofPod;
    const annotation = annotations[`${appArmorAnnotation}${container.name ?? ""}`];
    return profile && annotation !== undefined
      ? validateProfileAnnotation(annotation, profile, `${at}.securityContext.appArmorProfile`, {
          plugIn: "apparmor",
          runtimeDefaults,
        })
      : [];
  });
}
