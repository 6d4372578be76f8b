// PodTemplate: a pod template that stands alone.
// Upstream: k8s.io/kubernetes/pkg/registry/core/podtemplate/strategy.go, pkg/apis/core/validation
// (ValidatePodTemplate).
import { type Json, type JsonObject } from "homeostat/api";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { formatLabels } from "../validation/label-selectors.ts";
import { nameOf } from "../printers/cells.ts";
import {
  itemsAt,
  mutableAt,
  textMapAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { bumpGeneration, finalizerErrors } from "../definition/default-strategy.ts";
import { setPodTemplateDefaults, validatePodTemplate } from "./pod/pod-template.ts";

export const podTemplate: KindDefinition = {
  group: "",
  version: "v1",
  kind: "PodTemplate",
  returnsDeletedObject: true,
  defaults: (object) => setPodTemplateDefaults(mutableAt(object, "template")),
  strategy: {
    prepareForCreate: (object) => void (metadataOf(object)["generation"] = 1),
    prepareForUpdate: (object, old) => bumpGeneration(object, old, ["template"]),
    validateCreate: (object) => [
      ...finalizerErrors(object),
      ...validatePodTemplate(objectAt(object, "template"), "template"),
    ],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...validatePodTemplate(objectAt(object, "template"), "template", objectAt(old, "template")),
    ],
  },
  cells,
};

function cells(object: JsonObject): readonly Json[] {
  const template = objectAt(object, "template");
  const containers = itemsAt(objectAt(template, "spec"), "containers");
  const joined = (field: string): string =>
    containers.map((container) => stringAt(container, field)).join(",");
  return [
    nameOf(object),
    joined("name"),
    joined("image"),
    formatLabels(textMapAt(objectAt(template, "metadata"), "labels")),
  ];
}
