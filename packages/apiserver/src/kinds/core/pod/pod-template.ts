// Pod templates, wherever one stands (`spec.template` of workloads, `template` of a PodTemplate):
// defaults and rules.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/zz_generated.defaults.go,
// pkg/apis/core/validation/validation.go (ValidatePodTemplateSpec).
import type { JsonObject } from "homeostat/api";
import { type FieldError, forbidden } from "../../../apimachinery/errors/field-error.ts";
import {
  validateAnnotations,
  validateLabels,
} from "../../../apimachinery/meta/validate-object-meta.ts";
import {
  hasItems,
  mutableAt,
  textMapAt,
  objectAt,
} from "../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../apimachinery/meta/read-meta.ts";
import { dropInitContainerAnnotations, setPodSpecDefaults } from "./defaults/pod-spec-defaults.ts";
import { podValidationOptions } from "./validation/pod-validation-options.ts";
import { validateAppArmorAgreement } from "./validation/security/validate-app-armor.ts";
import { validatePodAnnotations } from "./validation/validate-pod-annotations.ts";
import { validatePodSpec } from "./validation/validate-pod-spec.ts";
import { validateSeccompAgreement } from "./validation/security/validate-seccomp.ts";

/** Sets the defaults of a decoded PodTemplateSpec, in place. */
export function setPodTemplateDefaults(template: JsonObject | undefined): void {
  if (!template) return;
  const spec = mutableAt(template, "spec");
  if (spec) setPodSpecDefaults(spec);
  dropInitContainerAnnotations(metadataOf(template));
}

/** Every breach in a template; `path` is e.g. `spec.template`. `old` is the stored template. */
export function validatePodTemplate(
  template: JsonObject,
  path: string,
  old?: JsonObject,
): FieldError[] {
  const metadata = objectAt(template, "metadata");
  const annotations = textMapAt(metadata, "annotations");
  const spec = objectAt(template, "spec");
  const rules = podValidationOptions("template", old && objectAt(old, "spec"));
  return [
    ...validateLabels(textMapAt(metadata, "labels"), `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...validatePodAnnotations(annotations, spec, `${path}.annotations`),
    ...validatePodSpec(spec, undefined, `${path}.spec`, rules),
    ...validateSeccompAgreement(annotations, spec, `${path}.spec`),
    ...validateAppArmorAgreement(annotations, spec, `${path}.spec`),
    ...(hasItems(spec["ephemeralContainers"])
      ? [
          forbidden(
            `${path}.spec.ephemeralContainers`,
            "ephemeral containers not allowed in pod template",
          ),
        ]
      : []),
  ];
}
