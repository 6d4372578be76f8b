// DeviceClasses: selectors and settings under a name, for requests to refer to.
// Upstream: k8s.io/kubernetes/pkg/registry/resource/deviceclass/strategy.go,
// pkg/apis/resource/validation/validation.go.
import { equalJson, type JsonObject } from "homeostat/api";
import { type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import { type NameRule, validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { isExtendedResource } from "../core/resources/resource-names.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { itemsAt, optionalTextAt, objectAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { bumpGeneration, finalizerErrors } from "../definition/default-strategy.ts";
import { validateList } from "./bounded-lists.ts";
import { type Age, validateConfiguration } from "./device-configuration.ts";
import { selectorErrors } from "./device-selectors.ts";

const maxConfigurations = 32;
/** As for other kinds, in newer words. */
const nameRule: NameRule = (name, prefixOnly) =>
  nameIsDnsSubdomain(name, prefixOnly).map((fault) => fault.replace("253 characters", "253 bytes"));

export const deviceClass: KindDefinition = {
  group: "resource.k8s.io",
  version: "v1",
  kind: "DeviceClass",
  returnsDeletedObject: true,
  strategy: {
    validateName: nameRule,
    prepareForCreate: (object) => void (metadataOf(object)["generation"] = 1),
    prepareForUpdate: (object, old) => bumpGeneration(object, old, ["spec"]),
    validateCreate: (object) => [
      ...finalizerErrors(object),
      ...validateSpec(objectAt(object, "spec"), undefined),
    ],
    validateUpdate: (object, old) => [
      ...validateObjectMeta(object, { namespaced: false }, nameRule),
      ...finalizerErrors(object),
      ...validateSpec(objectAt(object, "spec"), objectAt(old, "spec")),
    ],
  },
  cells: (object, nowMs) => [nameOf(object), ageOf(object, nowMs)],
};

/** Selectors and settings that did not change are held to the rules of their time. */
function validateSpec(spec: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const ageOfField = (field: string): Age =>
    old && equalJson(spec[field] ?? [], old[field] ?? []) ? "stored" : "new";
  const resource = optionalTextAt(spec, "extendedResourceName");
  return [
    ...selectorErrors(itemsAt(spec, "selectors"), "spec.selectors", ageOfField("selectors")),
    ...validateList(
      itemsAt(spec, "config"),
      maxConfigurations,
      (config, path) => validateConfiguration(config, path, ageOfField("config")),
      "spec.config",
    ),
    ...(resource === undefined || isExtendedResource(resource)
      ? []
      : [invalid("spec.extendedResourceName", resource, "must be a valid extended resource name")]),
  ];
}
