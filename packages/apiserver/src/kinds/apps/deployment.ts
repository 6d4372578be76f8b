// Deployments: the generation follows annotations, too; labels are not the status endpoint's
// affair.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/deployment/strategy.go,
// pkg/apis/apps/v1/defaults.go, pkg/apis/apps/validation.
import type { Json, JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  invalidInternal,
  notSupportedInternal,
  required,
} from "../../registry/field-error.ts";
import { nonNegative } from "../core/pod/field-rules.ts";
import { dropDisabledFields } from "../core/pod/drop-disabled-fields.ts";
import { setPodTemplateDefaults, validatePodTemplate } from "../core/pod/pod-template.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { formatSelector, immutableSelector, selectorType } from "../object/label-selectors.ts";
import { ageOf, nameOf } from "../object/printing.ts";
import {
  mutableAt,
  numberAt,
  optionalNumberAt,
  setIfEmpty,
  setIfNil,
} from "../object/read-fields.ts";
import {
  bumpGeneration,
  finalizerErrors,
  keepOld,
  metadataOf,
  objectAt,
  stringAt,
} from "../object/strategy.ts";
import { amountOf, intOrPercentErrors, overAllErrors } from "./rolling-update.ts";
import {
  choose,
  collisionErrors,
  containerCells,
  countErrors,
  createReplicaScale,
  endlessErrors,
  excessErrors,
  labelErrors,
  nameWarnings,
  selectorErrors,
  templateOf,
  warnOfChange,
  warnOfTemplate,
} from "./selected-template.ts";

export const deployment: BuiltinKind = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  defaults: setDefaults,
  rules: {
    resetFields: [["f:status"]],
    prepareForCreate(object) {
      object["status"] = {};
      metadataOf(object)["generation"] = 1;
      dropDisabledFields(objectAt(templateOf(object), "spec"));
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "status");
      dropDisabledFields(objectAt(templateOf(object), "spec"));
      bumpGeneration(
        { ...object, annotations: objectAt(metadataOf(object), "annotations") },
        { ...old, annotations: objectAt(metadataOf(old), "annotations") },
        ["spec", "annotations"],
      );
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
      resetFields: [["f:spec"], ["f:metadata", "f:labels"]],
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        keepOld(metadataOf(object), metadataOf(old), "labels");
      },
      validateUpdate: (object, old) => [
        ...finalizerErrors(object),
        ...statusErrors(objectAt(object, "status")),
        ...collisionErrors(object, old),
      ],
    },
  },
  scale: createReplicaScale((parent) =>
    formatSelector(objectAt(objectAt(parent, "spec"), "selector")),
  ),
  cells,
};

function setDefaults(object: JsonObject): void {
  const spec = objectAt(object, "spec");
  setPodTemplateDefaults(mutableAt(spec, "template"));
  setIfNil(spec, "replicas", 1);
  setIfNil(spec, "strategy", {});
  const strategy = objectAt(spec, "strategy");
  setIfEmpty(strategy, "type", "RollingUpdate");
  if (strategy["type"] === "RollingUpdate") {
    setIfNil(strategy, "rollingUpdate", {});
    const rolling = objectAt(strategy, "rollingUpdate");
    setIfNil(rolling, "maxUnavailable", "25%");
    setIfNil(rolling, "maxSurge", "25%");
  }
  setIfNil(spec, "revisionHistoryLimit", 10);
  setIfNil(spec, "progressDeadlineSeconds", 600);
}

function validateSpec(spec: JsonObject, old?: JsonObject): FieldError[] {
  const selector = mutableAt(spec, "selector");
  const chosen = choose(selector);
  const template = objectAt(spec, "template");
  const minReady = numberAt(spec, "minReadySeconds");
  const history = optionalNumberAt(spec, "revisionHistoryLimit");
  const deadline = optionalNumberAt(spec, "progressDeadlineSeconds");
  return [
    ...nonNegative(numberAt(spec, "replicas"), "spec.replicas"),
    ...selectorErrors(selector, "spec.selector", "deployment"),
    ...(chosen === undefined
      ? [invalidInternal("spec.selector", [selectorType, selector], "invalid label selector")]
      : [
          ...labelErrors(chosen, template, "spec.template"),
          ...validatePodTemplate(template, "spec.template", old && objectAt(old, "template")),
          ...endlessErrors(template, "spec.template", "ReplicaSet"),
        ]),
    ...strategyErrors(objectAt(spec, "strategy")),
    ...nonNegative(minReady, "spec.minReadySeconds"),
    ...(history === undefined ? [] : nonNegative(history, "spec.revisionHistoryLimit")),
    ...(deadline === undefined ? [] : nonNegative(deadline, "spec.progressDeadlineSeconds")),
    ...(deadline !== undefined && deadline <= minReady
      ? [invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")]
      : []),
  ];
}

function strategyErrors(strategy: JsonObject): FieldError[] {
  const rolling = mutableAt(strategy, "rollingUpdate");
  switch (stringAt(strategy, "type")) {
    case "Recreate":
      return rolling
        ? [
            forbidden(
              "spec.strategy.rollingUpdate",
              "may not be specified when strategy `type` is 'Recreate'",
            ),
          ]
        : [];
    case "RollingUpdate":
      return rolling
        ? rollingErrors(rolling)
        : [required("spec.strategy.rollingUpdate", "this should be defaulted and never be nil")];
    default:
      return [
        notSupportedInternal(
          "spec.strategy",
          ["apps.DeploymentStrategy", strategy],
          ["Recreate", "RollingUpdate"],
        ),
      ];
  }
}

function rollingErrors(rolling: JsonObject): FieldError[] {
  const path = "spec.strategy.rollingUpdate";
  const unavailable = rolling["maxUnavailable"];
  const surge = rolling["maxSurge"];
  return [
    ...intOrPercentErrors(unavailable, `${path}.maxUnavailable`),
    ...intOrPercentErrors(surge, `${path}.maxSurge`),
    ...(amountOf(unavailable) === 0 && amountOf(surge) === 0
      ? [invalid(`${path}.maxUnavailable`, unavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...overAllErrors(unavailable, `${path}.maxUnavailable`),
  ];
}

function statusErrors(status: JsonObject): FieldError[] {
  const total = "cannot be greater than status.replicas";
  return [
    ...countErrors(status, [
      "observedGeneration",
      "replicas",
      "updatedReplicas",
      "readyReplicas",
      "availableReplicas",
      "unavailableReplicas",
      "terminatingReplicas",
      "collisionCount",
    ]),
    ...["updatedReplicas", "readyReplicas", "availableReplicas"].flatMap((field) =>
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
  const spec = objectAt(object, "spec");
  const status = objectAt(object, "status");
  const ready = `${numberAt(status, "readyReplicas")}/${numberAt(spec, "replicas")}`;
  return [
    nameOf(object),
    ready,
    numberAt(status, "updatedReplicas"),
    numberAt(status, "availableReplicas"),
    ageOf(object, nowMs),
    ...containerCells(templateOf(object)),
    formatSelector(objectAt(spec, "selector")),
  ];
}
