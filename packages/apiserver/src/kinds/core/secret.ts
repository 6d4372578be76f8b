// Secrets: write-only stringData, keys that the type requires, and data that can be immutable.
// Upstream: k8s.io/kubernetes/pkg/registry/core/secret/strategy.go,
// pkg/apis/core/v1/{defaults,conversion}.go, pkg/apis/core/validation/validation.go
// (ValidateSecret).
import { compareBytewise, type Decoded, isObject, JsonSyntaxError, parseJson } from "homeostat/api";
import type { Secret } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { configMapKeyFaults, nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { keepOld } from "../definition/default-strategy.ts";
import { finalizerErrors, immutable } from "../validation/validate-object.ts";
import { base64Size, validateImmutableData, maxDataBytes } from "./immutable-data.ts";
import { checkKeyPair } from "./key-pair.ts";

export const secret: KindDefinition<Decoded<Secret>> = {
  ...gvk("v1", "Secret"),
  defaults(object) {
    object.type ||= "Opaque";
    mergeStringData(object);
  },
  strategy: {
    prepareForUpdate(object, old) {
      if (!object.type) keepOld(object, old, "type");
    },
    validateCreate: validate,
    validateUpdate: (object, old, context) => [
      ...finalizerErrors(object),
      ...immutable("type", object.type, old.type),
      ...validateImmutableData(object, old, { fields: ["data"], context }),
      ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
      ...validate(object),
    ],
    warningsOnCreate: keyPairWarnings,
    warningsOnUpdate: keyPairWarnings,
  },
  selectable: { names: ["type"], extract: (object) => ({ type: object.type ?? "" }) },
  cells: (object, ages) => [
    nameOf(object),
    object.type ?? "",
    Object.keys(object.data ?? {}).length,
    ageOf(object, ages),
  ],
};

function mergeStringData(object: Decoded<Secret>): void {
  const { stringData } = object;
  delete object.stringData;
  if (!stringData) return;
  object.data = {
    ...object.data,
    ...Object.fromEntries(
      Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
    ),
  };
}

function validate(object: Decoded<Secret>): FieldError[] {
  const data = object.data ?? {};
  return [
    ...finalizerErrors(object),
    ...Object.keys(data)
      .sort(compareBytewise)
      .flatMap((key) =>
        configMapKeyFaults(key).map((text) => fieldError.invalid(`data[${key}]`, key, text)),
      ),
    ...errorIf(base64Size(data) > maxDataBytes, () => fieldError.tooLong("data", maxDataBytes)),
    ...(validatorsByType.get(object.type ?? "")?.(data, object) ?? []),
  ];
}

type Data = Readonly<Record<string, string>>;

const missing = (data: Data, ...keys: readonly string[]): FieldError[] =>
  keys
    .filter((key) => !Object.hasOwn(data, key))
    .map((key) => fieldError.required(`data[${key}]`, ""));
const decoded = (data: Data, key: string): string =>
  Buffer.from(data[key] ?? "", "base64").toString("utf8");

type ValidateType = (data: Data, object: Decoded<Secret>) => FieldError[];
const validatorsByType: ReadonlyMap<string, ValidateType> = new Map<string, ValidateType>([
  [
    "kubernetes.io/service-account-token",
    (_data, object) =>
      errorIf(!object.metadata?.annotations?.["kubernetes.io/service-account.name"], () =>
        fieldError.required("metadata.annotations[kubernetes.io/service-account.name]", ""),
      ),
  ],
  ["kubernetes.io/dockercfg", (data) => jsonMap(data, ".dockercfg")],
  ["kubernetes.io/dockerconfigjson", (data) => jsonMap(data, ".dockerconfigjson")],
  [
    "kubernetes.io/basic-auth",
    (data) =>
      Object.hasOwn(data, "username") || Object.hasOwn(data, "password")
        ? []
        : missing(data, "username", "password"),
  ],
  [
    "kubernetes.io/ssh-auth",
    (data) =>
      errorIf(!decoded(data, "ssh-privatekey"), () =>
        fieldError.required("data[ssh-privatekey]", ""),
      ),
  ],
  ["kubernetes.io/tls", (data) => missing(data, "tls.crt", "tls.key")],
]);

function jsonMap(data: Data, key: string): FieldError[] {
  if (!Object.hasOwn(data, key)) return missing(data, key);
  const fault = jsonMapFault(decoded(data, key));
  return fault ? [fieldError.invalid(`data[${key}]`, "<secret contents redacted>", fault)] : [];
}

function jsonMapFault(text: string): string | undefined {
  try {
    const { value } = parseJson(text);
    return value === null || isObject(value)
      ? undefined
      : `json: cannot unmarshal ${goKindOf(value)} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}

/** Warns about a TLS secret whose certificate and key do not match. */
function keyPairWarnings({ type, data }: Decoded<Secret>): string[] {
  if (type !== "kubernetes.io/tls") return [];
  const fault = checkKeyPair(decoded(data ?? {}, "tls.crt"), decoded(data ?? {}, "tls.key"));
  return fault === undefined ? [] : [fault];
}
