// Secrets: write-only text data, keys that a type demands, and data that can be frozen.
// Upstream: k8s.io/kubernetes/pkg/registry/core/secret/strategy.go,
// pkg/apis/core/v1/{defaults,conversion}.go, pkg/apis/core/validation/validation.go
// (ValidateSecret).
import {
  compareBytewise,
  isObject,
  JsonSyntaxError,
  type JsonObject,
  parseJson,
} from "homeostat/api";
import {
  type FieldError,
  invalid,
  required,
  tooLong,
} from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { goKindOf } from "../serializer/go-kinds.ts";
import { configMapKeyFaults, nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { finalizerErrors, immutable, keepOld } from "../definition/default-strategy.ts";
import { objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { base64Size, frozenFields, maxDataBytes } from "./frozen-data.ts";
import { checkKeyPair } from "./key-pair.ts";

export const secret: KindDefinition = {
  group: "",
  version: "v1",
  kind: "Secret",
  defaults(object) {
    if (!object["type"]) object["type"] = "Opaque";
    mergeStringData(object);
  },
  strategy: {
    prepareForUpdate(object, old) {
      if (!object["type"]) keepOld(object, old, "type");
    },
    validateCreate: (object, context) => warned(object, context, validate(object)),
    validateUpdate: (object, old, context) =>
      warned(object, context, [
        ...finalizerErrors(object),
        ...immutable("type", object["type"], old["type"]),
        ...frozenFields(object, old, ["data"]),
        ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
        ...validate(object),
      ]),
  },
  selectable: { names: ["type"], extract: (object) => ({ type: stringAt(object, "type") }) },
  cells: (object, nowMs) => [
    nameOf(object),
    stringAt(object, "type"),
    Object.keys(objectAt(object, "data")).length,
    ageOf(object, nowMs),
  ],
};

function mergeStringData(object: JsonObject): void {
  const texts = object["stringData"];
  delete object["stringData"];
  if (!isObject(texts)) return;
  object["data"] = {
    ...objectAt(object, "data"),
    ...Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [
        key,
        Buffer.from(String(text)).toString("base64"),
      ]),
    ),
  };
}

function validate(object: JsonObject): FieldError[] {
  const data = objectAt(object, "data");
  return [
    ...finalizerErrors(object),
    ...Object.keys(data)
      .sort(compareBytewise)
      .flatMap((key) => configMapKeyFaults(key).map((text) => invalid(`data[${key}]`, key, text))),
    ...(base64Size(data) > maxDataBytes ? [tooLong("data", maxDataBytes)] : []),
    ...(typeRules.get(stringAt(object, "type"))?.(data, object) ?? []),
  ];
}

const missing = (data: JsonObject, ...keys: readonly string[]): FieldError[] =>
  keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(`data[${key}]`, ""));
const decoded = (data: JsonObject, key: string): string =>
  Buffer.from(stringAt(data, key), "base64").toString("utf8");

type TypeRule = (data: JsonObject, object: JsonObject) => FieldError[];
const typeRules: ReadonlyMap<string, TypeRule> = new Map<string, TypeRule>([
  [
    "kubernetes.io/service-account-token",
    (_data, object) =>
      stringAt(objectAt(metadataOf(object), "annotations"), "kubernetes.io/service-account.name")
        ? []
        : [required("metadata.annotations[kubernetes.io/service-account.name]", "")],
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
    (data) => (decoded(data, "ssh-privatekey") ? [] : [required("data[ssh-privatekey]", "")]),
  ],
  ["kubernetes.io/tls", (data) => missing(data, "tls.crt", "tls.key")],
]);

function jsonMap(data: JsonObject, key: string): FieldError[] {
  if (!Object.hasOwn(data, key)) return missing(data, key);
  const fault = jsonMapFault(decoded(data, key));
  return fault ? [invalid(`data[${key}]`, "<secret contents redacted>", fault)] : [];
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

/** A sound TLS secret whose halves do not fit is stored with a warning. */
function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length || object["type"] !== "kubernetes.io/tls") return errors;
  const data = objectAt(object, "data");
  const fault = checkKeyPair(decoded(data, "tls.crt"), decoded(data, "tls.key"));
  if (fault) context.warn(fault);
  return errors;
}
