// The spec of a StatefulSet.
// Upstream: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go (ValidateStatefulSetSpec,
// ValidatePodTemplateSpecForStatefulSet, ValidateStatefulSetUpdate).
import { type Decoded, equalJson, type JsonObject } from "homeostat/api";
import type { StatefulSetSpec, StatefulSetUpdateStrategy } from "homeostat/k8s/apps/v1";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { hasItems, isSet, withoutFields } from "../../apimachinery/meta/read-fields.ts";
import {
  validateAnnotations,
  validateLabels,
} from "../../apimachinery/meta/validate-object-meta.ts";
import { validateClaimSpec } from "../core/persistent-volume-claim/validate-claim-spec.ts";
import { validatePodTemplate } from "../core/pod/pod-template-spec.ts";
import { validatePodAnnotations } from "../core/pod/validation/validate-pod-annotations.ts";
import {
  validateRestartPolicy,
  validateTemplateLabels,
  validateWorkloadSelector,
} from "../core/workload/validate-workload-template.ts";
import { dnsLabelErrors, nonNegative } from "../validation/field-rules.ts";
import { labelSelectorAsSelector } from "../validation/label-selector-as-selector.ts";
import { selectorType } from "../validation/label-selectors.ts";

/** An update, which has an `old` spec, does not validate immutable fields again. */
export function validateStatefulSetSpec(
  spec: Decoded<StatefulSetSpec>,
  old: Decoded<StatefulSetSpec> | undefined,
): FieldError[] {
  const selector = labelSelectorAsSelector(spec.selector);
  const template = withClaimVolumes(spec);
  return [
    ...validateManagementPolicy(spec.podManagementPolicy),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}),
    ...validateRetentionPolicy(spec.persistentVolumeClaimRetentionPolicy ?? {}),
    ...(old ? [] : validateClaimTemplates(spec.volumeClaimTemplates ?? [])),
    ...nonNegative(spec.replicas ?? 0, "spec.replicas"),
    ...nonNegative(spec.minReadySeconds ?? 0, "spec.minReadySeconds"),
    ...nonNegative(spec.ordinals?.start ?? 0, "spec.ordinals.start"),
    ...(!old && spec.serviceName ? dnsLabelErrors(spec.serviceName, "spec.serviceName") : []),
    ...validateWorkloadSelector(spec.selector, "statefulset"),
    ...(selector === undefined
      ? [fieldError.invalidInternal("spec.selector", [selectorType, spec.selector], "")]
      : [
          ...validateTemplateLabels(template, selector),
          ...validateTemplate(template, old && (old.template ?? {})),
        ]),
    ...validateRestartPolicy(template, "StatefulSet"),
  ];
}

/** Upstream validates labels and annotations twice. */
function validateTemplate(
  template: Decoded<PodTemplateSpec>,
  old: Decoded<PodTemplateSpec> | undefined,
): FieldError[] {
  const { labels, annotations } = template.metadata ?? {};
  return [
    ...validatePodTemplate(template, "spec.template", old),
    ...validateLabels(labels ?? {}, "spec.template.labels"),
    ...validateAnnotations(annotations ?? {}, "spec.template.annotations"),
    ...validatePodAnnotations(annotations ?? {}, template.spec ?? {}, "spec.template.annotations"),
  ];
}

/**
 * The template with a volume for each claim template, which replaces a volume of the same name. The
 * controller sets host name and subdomain.
 */
function withClaimVolumes(spec: Decoded<StatefulSetSpec>): Decoded<PodTemplateSpec> {
  const template = spec.template ?? {};
  const podSpec = { ...template.spec };
  delete podSpec.hostname;
  delete podSpec.subdomain;
  if (!hasItems(spec.volumeClaimTemplates)) return { ...template, spec: podSpec };
  const names = new Set(
    (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? ""),
  );
  const volumes = [
    ...[...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...(podSpec.volumes ?? []).filter(({ name }) => !names.has(name ?? "")),
  ];
  return { ...template, spec: { ...podSpec, volumes } };
}

const validateClaimTemplates = (
  claims: NonNullable<Decoded<StatefulSetSpec>["volumeClaimTemplates"]>,
): FieldError[] =>
  eachItem(claims, "spec.volumeClaimTemplates", (claim, at) =>
    validateClaimSpec(claim.spec ?? {}, `${at}.spec`),
  );

function validateManagementPolicy(
  policy: Decoded<StatefulSetSpec>["podManagementPolicy"],
): FieldError[] {
  if (!policy) return [fieldError.required("spec.podManagementPolicy", "")];
  return errorIf(policy !== "OrderedReady" && policy !== "Parallel", () =>
    fieldError.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'"),
  );
}

function validateUpdateStrategy(strategy: Decoded<StatefulSetUpdateStrategy>): FieldError[] {
  const path = "spec.updateStrategy";
  const rolling = strategy.rollingUpdate;
  if (!strategy.type) return [fieldError.required(path, "")];
  switch (strategy.type) {
    case "OnDelete":
      return errorIf(rolling, () =>
        fieldError.invalidInternal(
          `${path}.rollingUpdate`,
          ["apps.RollingUpdateStatefulSetStrategy", rolling],
          "only allowed for updateStrategy 'RollingUpdate'",
        ),
      );
    case "RollingUpdate":
      return rolling ? nonNegative(rolling.partition ?? 0, `${path}.rollingUpdate.partition`) : [];
    default:
      return [
        fieldError.invalidInternal(
          path,
          ["apps.StatefulSetUpdateStrategy", strategy],
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
  }
}

function validateRetentionPolicy(
  policy: NonNullable<Decoded<StatefulSetSpec>["persistentVolumeClaimRetentionPolicy"]>,
): FieldError[] {
  return (["whenDeleted", "whenScaled"] as const).flatMap((field) => {
    const value = policy[field] ?? "";
    return errorIf(value !== "Retain" && value !== "Delete", () =>
      fieldError.notSupported(`spec.persistentVolumeClaimRetentionPolicy.${field}`, value, [
        "Retain",
        "Delete",
      ]),
    );
  });
}

const mutableFields: readonly (keyof StatefulSetSpec)[] = [
  "replicas",
  "template",
  "updateStrategy",
  "minReadySeconds",
  "ordinals",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
];

/** Most of the spec is immutable. */
export function validateStatefulSetSpecUpdate(
  spec: Decoded<StatefulSetSpec>,
  old: Decoded<StatefulSetSpec>,
): FieldError[] {
  if (equalJson(immutableFields(spec), immutableFields(old))) return [];
  return [
    fieldError.forbidden(
      "spec",
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
}

function immutableFields(spec: Decoded<StatefulSetSpec>): JsonObject {
  const fields: JsonObject = withoutFields(spec, ...mutableFields);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isSet(value)));
}
