// Runtime classes: how containers are run.
// Upstream: k8s.io/kubernetes/pkg/registry/node/runtimeclass/strategy.go,
// pkg/apis/node/validation/validation.go.
import { dnsLabelFaults, isObject, type JsonObject } from "homeostat/api";
import {
  duplicateInternal,
  type FieldError,
  invalid,
  required,
} from "../../apimachinery/errors/field-error.ts";
import {
  validateLabels,
  validateObjectMeta,
} from "../../apimachinery/meta/validate-object-meta.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { roundList } from "../core/resources/resource-lists.ts";
import { validateContainerResources } from "../core/pod/validation/containers/validate-resources.ts";
import { validateTolerations } from "../core/pod/validation/validate-scheduling.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nodeLabelMessage } from "../validation/deprecated-node-labels.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  itemsAt,
  mutableAt,
  textMapAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { finalizerErrors, immutable } from "../definition/default-strategy.ts";

export const runtimeClass: KindDefinition = {
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  defaults: (object) => roundList(mutableAt(objectAt(object, "overhead"), "podFixed")),
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    validateCreate: (object, context) =>
      warned(object, context, [...finalizerErrors(object), ...validate(object)]),
    validateUpdate: (object, old, context) =>
      warned(object, context, [
        ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
        ...finalizerErrors(object),
        ...validate(object),
        ...immutable("handler", stringAt(object, "handler"), stringAt(old, "handler")),
      ]),
  },
  cells: (object, nowMs) => [nameOf(object), stringAt(object, "handler"), ageOf(object, nowMs)],
};

function validate(object: JsonObject): FieldError[] {
  const handler = stringAt(object, "handler");
  const { overhead, scheduling } = object;
  return [
    ...(handler
      ? dnsLabelFaults(handler).map((fault) => invalid("handler", handler, fault))
      : [required("handler", "")]),
    ...(isObject(overhead)
      ? validateContainerResources(
          { limits: textMapAt(overhead, "podFixed") },
          new Set(),
          "overhead",
        )
      : []),
    ...(isObject(scheduling)
      ? [
          ...validateLabels(textMapAt(scheduling, "nodeSelector"), "scheduling.nodeSelector"),
          ...tolerationErrors(itemsAt(scheduling, "tolerations"), "scheduling.tolerations"),
        ]
      : []),
  ];
}

function tolerationErrors(tolerations: readonly JsonObject[], path: string): FieldError[] {
  const seen = new Set<string>();
  const errors = validateTolerations(tolerations, path);
  tolerations.forEach((toleration, i) => {
    const key = JSON.stringify(
      ["key", "operator", "value", "effect"].map((field) => stringAt(toleration, field)),
    );
    if (seen.has(key))
      errors.push(duplicateInternal(`${path}[${i}]`, ["core.Toleration", toleration]));
    seen.add(key);
  });
  return errors;
}

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length) return errors;
  for (const key of Object.keys(textMapAt(objectAt(object, "scheduling"), "nodeSelector"))) {
    const message = nodeLabelMessage(key);
    if (message) context.warn(`scheduling.nodeSelector: ${message}`);
  }
  return errors;
}
