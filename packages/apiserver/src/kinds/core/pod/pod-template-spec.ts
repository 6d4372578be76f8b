// Defaults and validation of pod templates: `spec.template` of workloads, `template` of a
// PodTemplate.
// Upstream: k8s.io/kubernetes/pkg/apis/core/v1/zz_generated.defaults.go,
// pkg/apis/core/validation/validation.go (ValidatePodTemplateSpec).
import type { Decoded } from "homeostat/api";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import {
  validateAnnotations,
  validateLabels,
} from "../../../apimachinery/meta/validate-object-meta.ts";
import { hasItems } from "../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../apimachinery/meta/read-meta.ts";
import { dropInitContainerAnnotations, setPodSpecDefaults } from "./defaults/pod-spec-defaults.ts";
import { podValidationOptions } from "./validation/options/pod-validation-options.ts";
import { validateAppArmorAgreement } from "./validation/security/validate-app-armor.ts";
import { validatePodAnnotations } from "./validation/validate-pod-annotations.ts";
import { validatePodSpec } from "./validation/validate-pod-spec.ts";
import { validateSeccompAgreement } from "./validation/security/validate-seccomp.ts";

/** Sets the defaults of a decoded PodTemplateSpec, in place. */
export function setPodTemplateDefaults(
  template: Decoded<PodTemplateSpec> | null | undefined,
): void {
  if (!template) return;
  if (template.spec) setPodSpecDefaults(template.spec);
  dropInitContainerAnnotations(metadataOf(template));
}

/** Validates a template at `path`, e.g. `spec.template`. `old` is the stored template. */
export function validatePodTemplate(
  template: Decoded<PodTemplateSpec>,
  path: string,
  old?: Decoded<PodTemplateSpec>,
): FieldError[] {
  const metadata = template.metadata ?? {};
  const annotations = metadata.annotations ?? {};
  const spec = template.spec ?? {};
  const options = podValidationOptions("template", old && (old.spec ?? {}));
  return [
    ...validateLabels(metadata.labels ?? {}, `${path}.labels`),
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...validatePodAnnotations(annotations, spec, `${path}.annotations`),
    ...validatePodSpec(spec, undefined, `${path}.spec`, options),
    ...validateSeccompAgreement(annotations, spec, `${path}.spec`),
    ...validateAppArmorAgreement(annotations, spec, `${path}.spec`),
    ...errorIf(hasItems(spec.ephemeralContainers), () =>
      fieldError.forbidden(
        `${path}.spec.ephemeralContainers`,
        "ephemeral containers not allowed in pod template",
      ),
    ),
  ];
}
