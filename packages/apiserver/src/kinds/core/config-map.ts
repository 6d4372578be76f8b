// ConfigMaps: text and binary data with distinct keys, frozen for good once immutable.
// Upstream: k8s.io/kubernetes/pkg/registry/core/configmap, pkg/apis/core/validation/validation.go
// (ValidateConfigMap).
import { compareBytewise, type JsonObject } from "homeostat/api";
import { type FieldError, invalid, tooLong } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { configMapKeyFaults, nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { finalizerErrors } from "../definition/default-strategy.ts";
import { objectAt } from "../../apimachinery/meta/read-fields.ts";
import { base64Size, frozenFields, maxDataBytes } from "./frozen-data.ts";

export const configMap: KindDefinition = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  strategy: {
    validateCreate: validate,
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...frozenFields(object, old, ["data", "binaryData"]),
      ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
      ...validate(object),
    ],
  },
  cells: (object, nowMs) => [
    nameOf(object),
    Object.keys(objectAt(object, "data")).length +
      Object.keys(objectAt(object, "binaryData")).length,
    ageOf(object, nowMs),
  ],
};

function validate(object: JsonObject): FieldError[] {
  const data = objectAt(object, "data");
  const binary = objectAt(object, "binaryData");
  const keys = (field: string, values: JsonObject): FieldError[] =>
    Object.keys(values)
      .sort(compareBytewise)
      .flatMap((key) => [
        ...configMapKeyFaults(key).map((text) => invalid(`${field}[${key}]`, key, text)),
        ...(field === "data" && Object.hasOwn(binary, key)
          ? [invalid(`data[${key}]`, key, "duplicate of key present in binaryData")]
          : []),
      ]);
  const size =
    Object.values(data).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value)), 0) +
    base64Size(binary);
  // An empty child path, as upstream builds it for "the whole object", prints as [].
  return [
    ...finalizerErrors(object),
    ...keys("data", data),
    ...keys("binaryData", binary),
    ...(size > maxDataBytes ? [tooLong("[]", maxDataBytes)] : []),
  ];
}
