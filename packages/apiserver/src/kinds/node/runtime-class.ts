// Runtime classes.
// Upstream: k8s.io/kubernetes/pkg/registry/node/runtimeclass/strategy.go,
// pkg/apis/node/validation/validation.go.
import { type Decoded, dnsLabelFaults } from "homeostat/api";
import type { Toleration } from "homeostat/k8s/core/v1";
import type { RuntimeClass } from "homeostat/k8s/node/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, type FieldError } from "../../apimachinery/errors/field-error.ts";
import {
  validateLabels,
  validateObjectMeta,
} from "../../apimachinery/meta/validate-object-meta.ts";
import { roundList } from "../core/resources/resource-lists.ts";
import { validateContainerResources } from "../core/pod/validation/containers/validate-resources.ts";
import { validateToleration } from "../core/pod/validation/validate-scheduling.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { nodeLabelMessage } from "../validation/deprecated-node-labels.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { immutable } from "../validation/validate-object.ts";

export const runtimeClass: KindDefinition<Decoded<RuntimeClass>> = {
  ...gvk("node.k8s.io/v1", "RuntimeClass"),
  defaults: (object) => roundList(object.overhead?.podFixed ?? undefined),
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    validateName: nameIsDnsSubdomain,
    validateCreate: validate,
    validateUpdate: (object, old) => [
      // Upstream takes the metadata rules of apimachinery, without that of finalizers' names.
      ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
      ...validate(object),
      ...immutable("handler", object.handler ?? "", old.handler ?? ""),
    ],
    warningsOnCreate: warnings,
    warningsOnUpdate: warnings,
  },
  cells: (object, ages) => [nameOf(object), object.handler ?? "", ageOf(object, ages)],
};

function validate(object: Decoded<RuntimeClass>): FieldError[] {
  const handler = object.handler ?? "";
  const { overhead, scheduling } = object;
  return [
    ...(handler
      ? dnsLabelFaults(handler).map((fault) => fieldError.invalid("handler", handler, fault))
      : [fieldError.required("handler", "")]),
    ...(overhead
      ? validateContainerResources({ limits: overhead.podFixed ?? {} }, new Set(), "overhead")
      : []),
    ...(scheduling
      ? [
          ...validateLabels(scheduling.nodeSelector ?? {}, "scheduling.nodeSelector"),
          ...tolerationErrors(scheduling.tolerations ?? [], "scheduling.tolerations"),
        ]
      : []),
  ];
}

function tolerationErrors(tolerations: readonly Decoded<Toleration>[], path: string): FieldError[] {
  const seen = new Set<string>();
  const errors = eachItem(tolerations, path, validateToleration);
  tolerations.forEach((toleration, i) => {
    const key = JSON.stringify(
      (["key", "operator", "value", "effect"] as const).map((field) => toleration[field] ?? ""),
    );
    if (seen.has(key))
      errors.push(fieldError.duplicateInternal(`${path}[${i}]`, ["core.Toleration", toleration]));
    seen.add(key);
  });
  return errors;
}

function warnings({ scheduling }: Decoded<RuntimeClass>): readonly string[] {
  return Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
    const message = nodeLabelMessage(key);
    return message ? [`scheduling.nodeSelector: ${message}`] : [];
  });
}
