// The spec of a StatefulSet.
// Upstream: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go (ValidateStatefulSetSpec).
import type { JsonObject } from "homeostat/api";
import {
  validateAnnotations,
  validateLabels,
} from "../../registry/object-meta/validate-object-meta.ts";
import {
  type FieldError,
  invalid,
  invalidInternal,
  notSupported,
  required,
} from "../../registry/field-error.ts";
import { dnsLabelErrors, nonNegative } from "../core/pod/field-rules.ts";
import { validatePodTemplate } from "../core/pod/pod-template.ts";
import { validateClaimSpec } from "../core/pod/validate-claim-spec.ts";
import { validatePodAnnotations } from "../core/pod/validate-pod-annotations.ts";
import { hasItems, itemsAt, mutableAt, numberAt, textMapAt } from "../object/read-fields.ts";
import { objectAt, stringAt } from "../object/strategy.ts";
import { choose, endlessErrors, labelErrors, selectorErrors } from "./selected-template.ts";

/** On update what is frozen is not looked at again. */
export function validateStatefulSetSpec(
  spec: JsonObject,
  on: "create" | "update",
  old?: JsonObject,
): FieldError[] {
  const selector = mutableAt(spec, "selector");
  const chosen = choose(selector);
  const template = withClaimVolumes(spec);
  const serviceName = stringAt(spec, "serviceName");
  const ordinals = mutableAt(spec, "ordinals");
  return [
    ...managementErrors(stringAt(spec, "podManagementPolicy")),
    ...strategyErrors(objectAt(spec, "updateStrategy")),
    ...["whenDeleted", "whenScaled"].flatMap((field) =>
      retentionErrors(
        stringAt(objectAt(spec, "persistentVolumeClaimRetentionPolicy"), field),
        `spec.persistentVolumeClaimRetentionPolicy.${field}`,
      ),
    ),
    ...(on === "create"
      ? itemsAt(spec, "volumeClaimTemplates").flatMap((claim, i) =>
          validateClaimSpec(objectAt(claim, "spec"), `spec.volumeClaimTemplates[${i}].spec`),
        )
      : []),
    ...nonNegative(numberAt(spec, "replicas"), "spec.replicas"),
    ...nonNegative(numberAt(spec, "minReadySeconds"), "spec.minReadySeconds"),
    ...(ordinals ? nonNegative(numberAt(ordinals, "start"), "spec.ordinals.start") : []),
    ...(on === "create" && serviceName ? dnsLabelErrors(serviceName, "spec.serviceName") : []),
    ...selectorErrors(selector, "spec.selector", "statefulset"),
    ...(chosen === undefined
      ? [invalid("spec.selector", selector, "")]
      : [
          ...labelErrors(chosen, template, "spec.template"),
          ...templateErrors(template, old && objectAt(old, "template")),
        ]),
    ...endlessErrors(template, "spec.template", "StatefulSet"),
  ];
}

/** Labels and annotations are looked at twice. */
function templateErrors(template: JsonObject, old: JsonObject | undefined): FieldError[] {
  const metadata = objectAt(template, "metadata");
  const annotations = textMapAt(metadata, "annotations");
  return [
    ...validatePodTemplate(template, "spec.template", old),
    ...validateLabels(textMapAt(metadata, "labels"), "spec.template.labels"),
    ...validateAnnotations(annotations, "spec.template.annotations"),
    ...validatePodAnnotations(annotations, objectAt(template, "spec"), "spec.template.annotations"),
  ];
}

/**
 * Claims of the set stand in for volumes of their names; host name and subdomain are the set's own
 * to choose.
 */
function withClaimVolumes(spec: JsonObject): JsonObject {
  const template = objectAt(spec, "template");
  const podSpec = { ...objectAt(template, "spec") };
  delete podSpec["hostname"];
  delete podSpec["subdomain"];
  if (!hasItems(spec["volumeClaimTemplates"])) return { ...template, spec: podSpec };
  const names = [
    ...new Set(
      itemsAt(spec, "volumeClaimTemplates").map((claim) =>
        stringAt(objectAt(claim, "metadata"), "name"),
      ),
    ),
  ];
  const ownVolumes = itemsAt(podSpec, "volumes").filter(
    (volume) => !names.includes(stringAt(volume, "name")),
  );
  return {
    ...template,
    spec: {
      ...podSpec,
      volumes: [
        ...names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
        ...ownVolumes,
      ],
    },
  };
}

function managementErrors(policy: string): FieldError[] {
  if (!policy) return [required("spec.podManagementPolicy", "")];
  return policy === "OrderedReady" || policy === "Parallel"
    ? []
    : [invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")];
}

function strategyErrors(strategy: JsonObject): FieldError[] {
  const path = "spec.updateStrategy";
  const rolling = mutableAt(strategy, "rollingUpdate");
  switch (stringAt(strategy, "type")) {
    case "":
      return [required(path, "")];
    case "OnDelete":
      return rolling
        ? [
            invalidInternal(
              `${path}.rollingUpdate`,
              ["apps.RollingUpdateStatefulSetStrategy", rolling],
              "only allowed for updateStrategy 'RollingUpdate'",
            ),
          ]
        : [];
    case "RollingUpdate":
      return rolling
        ? nonNegative(numberAt(rolling, "partition"), `${path}.rollingUpdate.partition`)
        : [];
    default:
      return [
        invalidInternal(
          path,
          ["apps.StatefulSetUpdateStrategy", strategy],
          "must be 'RollingUpdate' or 'OnDelete'",
        ),
      ];
  }
}

function retentionErrors(policy: string, path: string): FieldError[] {
  return policy === "Retain" || policy === "Delete"
    ? []
    : [notSupported(path, policy, ["Retain", "Delete"])];
}
