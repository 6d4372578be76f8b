// ReplicaSets.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/replicaset/strategy.go,
// pkg/apis/apps/v1/{defaults.go,conversion.go}, pkg/apis/apps/validation.
import type { Json, JsonObject } from "homeostat/api";
import { type FieldError, invalidInternal } from "../../registry/field-error.ts";
import { dropDisabledFields } from "../core/pod/drop-disabled-fields.ts";
import { nonNegative } from "../core/pod/field-rules.ts";
import { setPodTemplateDefaults, validatePodTemplate } from "../core/pod/pod-template.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { formatSelector, immutableSelector, selectorType } from "../object/label-selectors.ts";
import { ageOf, nameOf } from "../object/printing.ts";
import { mutableAt, numberAt, setIfNil } from "../object/read-fields.ts";
import { finalizerErrors, objectAt, specStatusRules, statusViewRules } from "../object/strategy.ts";
import {
  choose,
  containerCells,
  countErrors,
  createReplicaScale,
  endlessErrors,
  excessErrors,
  labelErrors,
  nameWarnings,
  selectorCell,
  selectorErrors,
  templateOf,
  warnOfChange,
  warnOfTemplate,
} from "./selected-template.ts";

export const replicaSet: BuiltinKind = {
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  defaults(object) {
    const spec = objectAt(object, "spec");
    setPodTemplateDefaults(mutableAt(spec, "template"));
    setIfNil(spec, "replicas", 1);
  },
  rules: {
    ...specStatusRules,
    prepareForCreate(object, context) {
      specStatusRules.prepareForCreate!(object, context);
      dropDisabledFields(objectAt(templateOf(object), "spec"));
    },
    prepareForUpdate(object, old, context) {
      dropDisabledFields(objectAt(templateOf(object), "spec"));
      specStatusRules.prepareForUpdate!(object, old, context);
    },
    validateCreate(object, context) {
      for (const text of nameWarnings(object)) context.warn(text);
      warnOfTemplate(object, context);
      return [...finalizerErrors(object), ...validateSpec(objectAt(object, "spec"))];
    },
    validateUpdate(object, old, context) {
      warnOfChange(object, old, context);
      const spec = objectAt(object, "spec");
      return [
        ...finalizerErrors(object),
        ...validateSpec(spec, objectAt(old, "spec")),
        ...immutableSelector(
          "spec.selector",
          mutableAt(spec, "selector"),
          mutableAt(objectAt(old, "spec"), "selector"),
        ),
      ];
    },
  },
  views: {
    status: {
      ...statusViewRules,
      validateUpdate: (object) => [
        ...finalizerErrors(object),
        ...replicaStatusErrors(objectAt(object, "status")),
      ],
    },
  },
  scale: createReplicaScale((parent) =>
    formatSelector(objectAt(objectAt(parent, "spec"), "selector")),
  ),
  cells,
};

function validateSpec(spec: JsonObject, old?: JsonObject): FieldError[] {
  const selector = mutableAt(spec, "selector");
  const chosen = choose(selector);
  const template = objectAt(spec, "template");
  return [
    ...nonNegative(numberAt(spec, "replicas"), "spec.replicas"),
    ...nonNegative(numberAt(spec, "minReadySeconds"), "spec.minReadySeconds"),
    ...selectorErrors(selector, "spec.selector", "deployment"),
    ...(chosen === undefined
      ? [invalidInternal("spec.selector", [selectorType, selector], "invalid label selector")]
      : [
          ...labelErrors(chosen, template, "spec.template"),
          ...validatePodTemplate(template, "spec.template", old && objectAt(old, "template")),
          ...endlessErrors(template, "spec.template", "ReplicaSet"),
        ]),
  ];
}

/** The status of ReplicaSets and ReplicationControllers. */
export function replicaStatusErrors(status: JsonObject): FieldError[] {
  const total = "cannot be greater than status.replicas";
  return [
    ...countErrors(status, [
      "replicas",
      "fullyLabeledReplicas",
      "readyReplicas",
      "availableReplicas",
      "observedGeneration",
      "terminatingReplicas",
    ]),
    ...["fullyLabeledReplicas", "readyReplicas", "availableReplicas"].flatMap((field) =>
      excessErrors(status, field, "replicas", total),
    ),
    ...excessErrors(
      status,
      "availableReplicas",
      "readyReplicas",
      "cannot be greater than readyReplicas",
    ),
  ];
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const status = objectAt(object, "status");
  return [
    nameOf(object),
    numberAt(objectAt(object, "spec"), "replicas"),
    numberAt(status, "replicas"),
    numberAt(status, "readyReplicas"),
    ageOf(object, nowMs),
    ...containerCells(templateOf(object)),
    selectorCell(object),
  ];
}
