// Runtime classes: how containers are run.
// Upstream: k8s.io/kubernetes/pkg/registry/node/runtimeclass/strategy.go,
// pkg/apis/node/validation/validation.go.
import { dnsLabelFaults, isObject, type JsonObject } from "homeostat/api";
import {
  duplicateInternal,
  type FieldError,
  invalid,
  required,
} from "../../registry/field-error.ts";
import {
  validateLabels,
  validateObjectMeta,
} from "../../registry/object-meta/validate-object-meta.ts";
import type { WriteContext } from "../../registry/served-resource.ts";
import { roundList } from "../core/pod/resource-lists.ts";
import { validateContainerResources } from "../core/pod/validate-resources.ts";
import { validateTolerations } from "../core/pod/validate-scheduling.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { nodeLabelMessage } from "../object/deprecated-node-labels.ts";
import { nameIsDnsSubdomain } from "../object/names.ts";
import { ageOf, nameOf } from "../object/printing.ts";
import { itemsAt, mutableAt, textMapAt } from "../object/read-fields.ts";
import { finalizerErrors, immutable, objectAt, stringAt } from "../object/strategy.ts";

export const runtimeClass: BuiltinKind = {
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  defaults: (object) => roundList(mutableAt(objectAt(object, "overhead"), "podFixed")),
  rules: {
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
      ? validateContainerResources({ limits: overhead["podFixed"] ?? {} }, new Set(), "overhead")
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
