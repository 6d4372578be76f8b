// Deployments: the generation follows annotations, too; labels are not the status endpoint's
// affair.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/deployment/strategy.go,
// pkg/apis/apps/v1/defaults.go, pkg/apis/apps/validation.
import type { Json, JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { dropDisabledFields } from "../core/pod/drop-disabled-fields.ts";
import { setPodTemplateDefaults, validatePodTemplate } from "../core/pod/pod-template.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { formatSelector, immutableSelector, printSelector } from "../validation/label-selectors.ts";
import {
  formatStruct,
  goPointer,
  goStructPointer,
  goText,
  invalidPrinted,
} from "../printers/format-struct.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  mutableAt,
  numberAt,
  optionalNumberAt,
  setIfEmpty,
  setIfNil,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { bumpGeneration, finalizerErrors, keepOld } from "../definition/default-strategy.ts";
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

export const deployment: KindDefinition = {
  group: "apps",
  version: "v1",
  kind: "Deployment",
  defaults: setDefaults,
  strategy: {
    resetFields: [["f:status"]],
    prepareForCreate(object) {
      object["status"] = {};
      metadataOf(object)["generation"] = 1;
      dropDisabledFields(objectAt(templateOf(object), "spec"));
    },
    prepareForUpdate(object, old) {
      keepOld(object, old, "status");
      dropDisabledFields(objectAt(templateOf(object), "spec"));
      bumpGeneration(withAnnotations(object), withAnnotations(old), ["spec", "annotations"]);
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
  subresources: {
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

/** Annotations are part of what a Deployment wants: its controller copies them. */
const withAnnotations = (object: JsonObject): JsonObject => ({
  ...object,
  annotations: objectAt(metadataOf(object), "annotations"),
});

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
      ? [invalidPrinted("spec.selector", printSelector(selector), "invalid label selector")]
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
    default: {
      const printed = formatStruct(strategy, [
        ["Type", "type", goText],
        [
          "RollingUpdate",
          "rollingUpdate",
          goStructPointer([
            ["MaxUnavailable", "maxUnavailable", goPointer],
            ["MaxSurge", "maxSurge", goPointer],
          ]),
        ],
      ]);
      const { type, body } = notSupported("", "", ["Recreate", "RollingUpdate"]);
      return [{ type, field: "spec.strategy", body: body.replace('""', () => printed) }];
    }
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
