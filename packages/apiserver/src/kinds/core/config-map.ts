// ConfigMaps: text and binary data with distinct keys, frozen for good once immutable.
// Upstream: k8s.io/kubernetes/pkg/registry/core/configmap, pkg/apis/core/validation/validation.go
// (ValidateConfigMap).
import { compareBytewise, type JsonObject } from "homeostat/api";
import { type FieldError, invalid, tooLong } from "../../registry/field-error.ts";
import { validateObjectMeta } from "../../registry/object-meta/validate-object-meta.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { configMapKeyFaults, nameIsDnsSubdomain } from "../object/names.ts";
import { ageOf, nameOf } from "../object/printing.ts";
import { finalizerErrors, objectAt } from "../object/strategy.ts";
import { base64Size, frozenFields, maxDataBytes } from "./frozen-data.ts";

export const configMap: BuiltinKind = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  rules: {
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
