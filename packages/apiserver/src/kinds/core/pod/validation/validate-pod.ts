// Validation of a pod: of its metadata and spec, and of a new one.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodCreate,
// validatePodMetadataAndSpec).
import type { Decoded } from "homeostat/api";
import type { Pod, PodSpec } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import { hasItems, isSet } from "../../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../../apimachinery/meta/read-meta.ts";
import { finalizerErrors } from "../../../validation/validate-object.ts";
import { podValidationOptions } from "./options/pod-validation-options.ts";
import { validateAppArmorAgreement } from "./security/validate-app-armor.ts";
import { validateImageSpace } from "./containers/validate-containers.ts";
import { validatePodAnnotations } from "./validate-pod-annotations.ts";
import { validatePodSpec } from "./validate-pod-spec.ts";
import { validateSeccompAgreement } from "./security/validate-seccomp.ts";

/** Validates the spec, and the metadata as far as pods have rules of their own for it. */
export function validateWholePod(pod: Decoded<Pod>, old?: Decoded<Pod>): FieldError[] {
  const metadata = metadataOf(pod);
  const spec = pod.spec ?? {};
  return [
    ...finalizerErrors(pod),
    ...validatePodAnnotations(metadata.annotations ?? {}, spec, "metadata.annotations"),
    ...validatePodSpec(
      spec,
      metadata,
      "spec",
      podValidationOptions("pod", old && (old.spec ?? {})),
    ),
    ...(spec.serviceAccountName ? [] : tokenErrors(spec)),
    ...(["containers", "initContainers"] as const).flatMap((list) =>
      eachItem(spec[list], `spec.${list}`, validateImageSpace),
    ),
  ];
}

/** A token needs a service account. */
function tokenErrors(spec: Decoded<PodSpec>): FieldError[] {
  return eachItem(spec.volumes, "spec.volumes", (volume, at) =>
    eachItem(volume.projected?.sources, `${at}.projected.sources`, (source, at) =>
      errorIf(isSet(source.serviceAccountToken), () =>
        fieldError.forbidden(
          `${at}.serviceAccountToken`,
          "must not be specified when serviceAccountName is not set",
        ),
      ),
    ),
  );
}

/** Validates a new pod. */
export function validateNewPod(pod: Decoded<Pod>): FieldError[] {
  const spec = pod.spec ?? {};
  const annotations = metadataOf(pod).annotations ?? {};
  return [
    ...validateWholePod(pod),
    ...errorIf(hasItems(spec.ephemeralContainers), () =>
      fieldError.forbidden("spec.ephemeralContainers", "cannot be set on create"),
    ),
    ...errorIf((spec.nodeName ?? "") && hasItems(spec.schedulingGates), () =>
      fieldError.forbidden(
        "spec.nodeName",
        "cannot be set until all schedulingGates have been cleared",
      ),
    ),
    ...validateSeccompAgreement(annotations, spec, "spec"),
    ...validateAppArmorAgreement(annotations, spec, "spec"),
  ];
}
