// The pod template and the selector of a workload.
// Upstream: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go
// (ValidatePodTemplateSpecForReplicaSet, ValidateDaemonSetSpec),
// pkg/apis/core/validation/validation.go (ValidatePodTemplateSpecForRC).
import type { Decoded } from "homeostat/api";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import type { LabelSelector } from "homeostat/k8s/meta/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import {
  labelSelectorAsSelector,
  type Selector,
  selectorMatches,
} from "../../validation/label-selector-as-selector.ts";
import {
  isEmptySelector,
  selectorType,
  validateLabelSelector,
} from "../../validation/label-selectors.ts";
import { validatePodTemplate } from "../pod/pod-template-spec.ts";

/** Where the template stands in every workload kind. */
const path = "spec.template";

export interface WorkloadTemplateOptions {
  /** Absent when the labels of the template are validated elsewhere. */
  readonly selector?: Selector;
  /** The kind that the message about activeDeadlineSeconds names. */
  readonly kind: "DaemonSet" | "ReplicaSet" | "ReplicationController";
  /** The stored template. */
  readonly old?: Decoded<PodTemplateSpec> | undefined;
}

/** Validates labels, template and restart policy, in this order. */
export function validateWorkloadTemplate(
  template: Decoded<PodTemplateSpec>,
  { selector, kind, old }: WorkloadTemplateOptions,
): FieldError[] {
  return [
    ...(selector === undefined ? [] : validateTemplateLabels(template, selector)),
    ...validatePodTemplate(template, path, old),
    ...validateRestartPolicy(template, kind),
  ];
}

/** The fields of a workload's spec that select its pods and describe them. */
interface SelectedTemplate {
  readonly selector?: Decoded<LabelSelector> | null;
  readonly template?: Decoded<PodTemplateSpec> | null;
}

/** {@link validateWorkloadTemplate} of a spec whose selector may be invalid. */
export function validateSelectedTemplate(
  { selector, template }: SelectedTemplate,
  old: SelectedTemplate | undefined,
): FieldError[] {
  const parsed = labelSelectorAsSelector(selector);
  if (parsed === undefined) {
    const value = [selectorType, selector] as const;
    return [fieldError.invalidInternal("spec.selector", value, "invalid label selector")];
  }
  return validateWorkloadTemplate(template ?? {}, {
    selector: parsed,
    kind: "ReplicaSet",
    old: old && (old.template ?? {}),
  });
}

/** The selector of a workload must match the labels of its own template. */
export function validateTemplateLabels(
  { metadata }: Decoded<PodTemplateSpec>,
  selector: Selector,
): FieldError[] {
  return errorIf(!selectorMatches(selector, metadata?.labels ?? {}), () =>
    fieldError.invalid(
      `${path}.metadata.labels`,
      metadata?.labels,
      "`selector` does not match template `labels`",
    ),
  );
}

/** Containers of long-running workloads always restart, and their pods have no deadline. */
export function validateRestartPolicy(
  { spec }: Decoded<PodTemplateSpec>,
  kind: string,
): FieldError[] {
  const policy = spec?.restartPolicy ?? "";
  return [
    ...errorIf(policy !== "Always", () =>
      fieldError.notSupported(`${path}.spec.restartPolicy`, policy, ["Always"]),
    ),
    ...errorIf(isSet(spec?.activeDeadlineSeconds), () =>
      fieldError.forbidden(
        `${path}.spec.activeDeadlineSeconds`,
        `activeDeadlineSeconds in ${kind} is not Supported`,
      ),
    ),
  ];
}

/**
 * Requires a valid selector that is not empty. `kind` is the one that the message names: upstream
 * says "deployment" for ReplicaSets, too.
 */
export function validateWorkloadSelector(
  selector: Decoded<LabelSelector> | null | undefined,
  kind: "deployment" | "statefulset",
): FieldError[] {
  if (!selector) return [fieldError.required("spec.selector", "")];
  return [
    ...validateLabelSelector(selector, "spec.selector"),
    ...errorIf(isEmptySelector(selector), () =>
      fieldError.invalidInternal(
        "spec.selector",
        [selectorType, selector],
        `empty selector is invalid for ${kind}`,
      ),
    ),
  ];
}
