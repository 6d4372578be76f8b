// AppArmor profiles: as fields, as the annotations of old, both agreeing, and fields made of
// annotations.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateAppArmorProfileField,
// ValidateAppArmorPodAnnotations, validateAppArmorAnnotationsAndFieldsMatchOnCreate),
// pkg/api/pod/util.go (ApparmorFieldForAnnotation).
import type { JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  quoteGo,
  required,
  tooLong,
} from "../../../../../apimachinery/errors/field-error.ts";
import {
  mutableAt,
  optionalTextAt,
  objectAt,
  stringAt,
} from "../../../../../apimachinery/meta/read-fields.ts";
import { visitContainers } from "../../visit-containers.ts";

export const appArmorAnnotation = "container.apparmor.security.beta.kubernetes.io/";
const localhost = "localhost/";
const longestPath = 4095;
const types = ["Localhost", "RuntimeDefault", "Unconfined"];

/** An `appArmorProfile` field. */
export function validateAppArmorProfile(
  profile: JsonObject | undefined,
  path: string,
): FieldError[] {
  if (!profile) return [];
  const type = stringAt(profile, "type");
  const file = optionalTextAt(profile, "localhostProfile");
  if (type === "Localhost") return localhostErrors(file, `${path}.localhostProfile`);
  if (!type) return [required(`${path}.type`, "type is required when appArmorProfile is set")];
  if (!types.includes(type)) return [notSupported(`${path}.type`, type, types)];
  return file === undefined
    ? []
    : [
        invalid(
          `${path}.localhostProfile`,
          file,
          "can only be set when AppArmor type is Localhost",
        ),
      ];
}

function localhostErrors(file: string | undefined, path: string): FieldError[] {
  if (file === undefined) return [required(path, "must be set when AppArmor type is Localhost")];
  const trimmed = file.trim();
  const errors =
    trimmed !== file
      ? [invalid(path, file, "must not be padded with whitespace")]
      : file
        ? []
        : [required(path, "must be set when AppArmor type is Localhost")];
  return Buffer.byteLength(file) > longestPath ? [...errors, tooLong(path, longestPath)] : errors;
}

/** The annotations by themselves: of a container that is there, in a known form. */
export function validateAppArmorAnnotations(
  annotations: Readonly<Record<string, string>>,
  spec: JsonObject,
  path: string,
): FieldError[] {
  const names = visitContainers(spec, "", (container) => [stringAt(container, "name")]);
  return Object.entries(annotations)
    .filter(([key]) => key.startsWith(appArmorAnnotation))
    .flatMap(([key, profile]) => {
      const name = key.slice(appArmorAnnotation.length);
      return [
        ...(names.includes(name) ? [] : [invalid(`${path}[${key}]`, name, "container not found")]),
        ...(isKnownForm(profile)
          ? []
          : [
              invalid(
                `${path}[${key}]`,
                profile,
                `invalid AppArmor profile name: ${quoteGo(profile)}`,
              ),
            ]),
      ];
    });
}

const isKnownForm = (profile: string): boolean =>
  profile === "" ||
  profile === "runtime/default" ||
  profile === "unconfined" ||
  profile.startsWith(localhost);

/** The field that an annotation stands for; undefined where it stands for none. */
export function appArmorField(annotation: string): JsonObject | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  return annotation.startsWith(localhost) && annotation.length > localhost.length
    ? { type: "Localhost", localhostProfile: annotation.slice(localhost.length) }
    : undefined;
}

/** Where both an annotation and a field are there, they must say the same. */
export function validateAppArmorAgreement(
  annotations: Readonly<Record<string, string>>,
  spec: JsonObject,
  path: string,
): FieldError[] {
  if (stringAt(objectAt(spec, "os"), "name") === "windows") return [];
  const ofPod = mutableAt(objectAt(spec, "securityContext"), "appArmorProfile");
  return visitContainers(spec, path, (container, at) => {
    const profile = mutableAt(objectAt(container, "securityContext"), "appArmorProfile") ?? ofPod;
    const annotation = annotations[`${appArmorAnnotation}${stringAt(container, "name")}`];
    return profile && annotation !== undefined
      ? agreementErrors(annotation, profile, `${at}.securityContext.appArmorProfile`)
      : [];
  });
}

function agreementErrors(annotation: string, profile: JsonObject, path: string): FieldError[] {
  const type = stringAt(profile, "type");
  const matches =
    type === "Unconfined"
      ? annotation === "unconfined"
      : type === "RuntimeDefault"
        ? annotation === "runtime/default"
        : type !== "Localhost" || annotation.startsWith(localhost);
  if (!matches)
    return [forbidden(`${path}.type`, "apparmor type in annotation and field must match")];
  const file = optionalTextAt(profile, "localhostProfile");
  return type === "Localhost" && annotation.slice(localhost.length) !== file
    ? [forbidden(`${path}.localhostProfile`, "apparmor profile in annotation and field must match")]
    : [];
}
