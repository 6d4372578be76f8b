// ReplicationControllers: a plain map as selector, which may change; deletes orphan the pods.
// Upstream: k8s.io/kubernetes/pkg/registry/core/replicationcontroller/strategy.go,
// pkg/apis/core/v1/{defaults.go,conversion.go}, pkg/apis/core/validation/validation.go
// (ValidateReplicationController…).
import type { Decoded, Json, JsonObject } from "homeostat/api";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import { type FieldError, required } from "../../apimachinery/errors/field-error.ts";
import { replicaStatusErrors } from "../apps/replica-set.ts";
import {
  containerCells,
  createReplicaScale,
  endlessErrors,
  labelErrors,
  nameWarnings,
  templateOf,
  warnOfChange,
  warnOfTemplate,
} from "../apps/selected-template.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { formatLabels } from "../validation/label-selectors.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  hasItems,
  mutableAt,
  numberAt,
  setIfNil,
  textMapAt,
  objectAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import {
  finalizerErrors,
  specStatusStrategy,
  statusStrategy,
} from "../definition/default-strategy.ts";
import { dropDisabledFields } from "./pod/drop-disabled-fields.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { setPodTemplateDefaults, validatePodTemplate } from "./pod/pod-template.ts";

export const replicationController: KindDefinition = {
  group: "",
  version: "v1",
  kind: "ReplicationController",
  defaults: setDefaults,
  strategy: {
    ...specStatusStrategy,
    defaultPropagation: "Orphan",
    prepareForCreate(object, context) {
      specStatusStrategy.prepareForCreate!(object, context);
      dropDisabledFields(objectAt(templateOf(object), "spec"));
    },
    prepareForUpdate(object, old, context) {
      dropDisabledFields(objectAt(templateOf(object), "spec"));
      specStatusStrategy.prepareForUpdate!(object, old, context);
    },
    validateCreate(object, context) {
      for (const text of nameWarnings(object)) context.warn(text);
      warnOfTemplate(object, context);
      return [...finalizerErrors(object), ...validateSpec(objectAt(object, "spec"))];
    },
    validateUpdate(object, old, context) {
      warnOfChange(object, old, context);
      return [
        ...finalizerErrors(object),
        ...validateSpec(objectAt(object, "spec"), objectAt(old, "spec")),
      ];
    },
  },
  subresources: {
    status: {
      ...statusStrategy,
      validateUpdate: (object) => [
        ...finalizerErrors(object),
        ...replicaStatusErrors(objectAt(object, "status")),
      ],
    },
  },
  scale: createReplicaScale((parent) => selectorText(parent, "")),
  selectable: {
    names: ["status.replicas"],
    extract: (object) => ({
      "status.replicas": String(numberAt(objectAt(object, "status"), "replicas")),
    }),
  },
  cells,
};

function setDefaults(object: JsonObject): void {
  const spec = objectAt(object, "spec");
  const template = mutableAt(spec, "template");
  setPodTemplateDefaults(template);
  setIfNil(spec, "replicas", 1);
  const { labels }: Decoded<ObjectMeta> = template ? objectAt(template, "metadata") : {};
  if (!labels) return;
  if (!hasItems(spec["selector"])) spec["selector"] = { ...labels };
  if (!hasItems(metadataOf(object)["labels"])) metadataOf(object)["labels"] = { ...labels };
}

function validateSpec(spec: JsonObject, old?: JsonObject): FieldError[] {
  const selector = textMapAt(spec, "selector");
  const template = mutableAt(spec, "template");
  const chosen = Object.entries(selector).map(([key, value]) => ({
    key,
    operator: "=" as const,
    values: [value],
  }));
  return [
    ...nonNegative(numberAt(spec, "minReadySeconds"), "spec.minReadySeconds"),
    ...(hasItems(spec["selector"]) ? [] : [required("spec.selector", "")]),
    ...nonNegative(numberAt(spec, "replicas"), "spec.replicas"),
    ...(template
      ? [
          ...(chosen.length ? labelErrors(chosen, template, "spec.template") : []),
          ...validatePodTemplate(template, "spec.template", old && mutableAt(old, "template")),
          ...endlessErrors(template, "spec.template", "ReplicationController"),
        ]
      : [required("spec.template", "")]),
  ];
}

function selectorText(object: JsonObject, none: string): string {
  const selector = textMapAt(objectAt(object, "spec"), "selector");
  return Object.keys(selector).length ? formatLabels(selector) : none;
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
    selectorText(object, "<none>"),
  ];
}
