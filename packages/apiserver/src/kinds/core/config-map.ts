// ConfigMaps: text and binary data with distinct keys, which can be immutable.
// Upstream: k8s.io/kubernetes/pkg/registry/core/configmap, pkg/apis/core/validation/validation.go
// (ValidateConfigMap).
import { compareBytewise, type Decoded } from "homeostat/api";
import type { ConfigMap } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { configMapKeyFaults, nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { finalizerErrors } from "../validation/validate-object.ts";
import { base64Size, validateImmutableData, maxDataBytes } from "./immutable-data.ts";

export const configMap: KindDefinition<Decoded<ConfigMap>> = {
  ...gvk("v1", "ConfigMap"),
  strategy: {
    validateCreate: validate,
    validateUpdate: (object, old, context) => [
      ...finalizerErrors(object),
      ...validateImmutableData(object, old, {
        fields: ["data", "binaryData"],
        defaulted: ["data"],
        context,
      }),
      ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
      ...validate(object),
    ],
  },
  cells: (object, ages) => [
    nameOf(object),
    Object.keys(object.data ?? {}).length + Object.keys(object.binaryData ?? {}).length,
    ageOf(object, ages),
  ],
};

function validate(object: Decoded<ConfigMap>): FieldError[] {
  const data = object.data ?? {};
  const binary = object.binaryData ?? {};
  const keyErrors = (field: "data" | "binaryData"): FieldError[] =>
    Object.keys(object[field] ?? {})
      .sort(compareBytewise)
      .flatMap((key) => [
        ...configMapKeyFaults(key).map((text) => fieldError.invalid(`${field}[${key}]`, key, text)),
        ...errorIf(field === "data" && Object.hasOwn(binary, key), () =>
          fieldError.invalid(`data[${key}]`, key, "duplicate of key present in binaryData"),
        ),
      ]);
  const size =
    Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0) +
    base64Size(binary);
  // Upstream builds the path of the whole object from an empty child name, which prints as [].
  return [
    ...finalizerErrors(object),
    ...keyErrors("data"),
    ...keyErrors("binaryData"),
    ...errorIf(size > maxDataBytes, () => fieldError.tooLong("[]", maxDataBytes)),
  ];
}
