// Types that decode themselves: times, quantities, int-or-string, raw JSON and the schema
// alternatives of CRDs. An error here ends decoding at once, unlike a plain type mismatch, which Go
// saves and goes on.
// Upstream: UnmarshalJSON in k8s.io/apimachinery pkg/apis/meta/v1 (time.go, micro_time.go,
// duration.go), pkg/util/intstr, pkg/api/resource/quantity.go, pkg/runtime/extension.go;
// k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1/marshal.go.
import { encodeJson, isObject, type Json } from "homeostat/api";
import type { SpecialName } from "../../apimachinery/kind-data/kind-data.ts";
import {
  formatGoTime,
  type GoTimeLayout,
  GoTimeError,
  isWrittenTime,
  parseGoTime,
  rfc3339,
  rfc3339Micro,
} from "../../apimachinery/values/go-time.ts";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";
import { DecodeError } from "./decode-error.ts";
import { canonicalQuantity } from "../../apimachinery/values/quantity.ts";

/** The error of a type's UnmarshalJSON. With `mismatch`, the message names the current field. */
export class UnmarshalerError extends DecodeError {
  override readonly name = "UnmarshalerError";
}

/** Decodes a nested struct without strictness. */
export type NestedDecoder = (model: string, value: Json) => Json;

const schemaModel = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

/**
 * The canonical JSON form; undefined for nil. `literal` is the text of a number that is no plain
 * integer. Throws {@link UnmarshalerError}.
 */
export function decodeSpecial(
  name: SpecialName,
  input: Json,
  nested: NestedDecoder,
  literal?: string,
): Json | undefined {
  if (input === null) return undefined;
  switch (name) {
    case "Time":
      return time(input, rfc3339);
    case "MicroTime":
      return time(input, rfc3339Micro);
    case "Quantity":
      return quantity(literal ?? input);
    case "IntOrString":
      return intOrString(input, literal);
    case "JSONSchemaPropsOrBool":
      if (isObject(input)) return nested(schemaModel, input);
      if (typeof input === "boolean") return input;
      throw new UnmarshalerError("boolean or JSON schema expected");
    case "JSONSchemaPropsOrArray":
    case "JSONSchemaPropsOrStringArray":
      if (isObject(input)) return nested(schemaModel, input);
      if (Array.isArray(input))
        return name === "JSONSchemaPropsOrArray"
          ? input.map((item) => nested(schemaModel, item))
          : strings(input);
      return null;
    default:
      return input;
  }
}

function time(input: Json, layout: GoTimeLayout): Json {
  if (typeof input === "string" && isWrittenTime(input, layout)) return input;
  try {
    return formatGoTime(parseGoTime(text(input), layout), layout);
  } catch (error) {
    throw error instanceof GoTimeError ? new UnmarshalerError(error.message) : error;
  }
}

function text(input: Json): string {
  if (typeof input === "string") return input;
  throw mismatch(goKindOf(input), "string");
}

const strings = (input: readonly Json[]): Json[] =>
  input.map((item) => (item === null ? "" : text(item)));

function quantity(input: Json): string {
  const result = canonicalQuantity(quantityText(input));
  if ("error" in result) throw new UnmarshalerError(result.error);
  return result.text;
}

function quantityText(input: Json): string {
  if (typeof input === "string") return input.trim();
  return typeof input === "object" ? encodeJson(input) : String(input);
}

function intOrString(input: Json, literal: string | undefined): Json {
  if (typeof input === "string") return input;
  if (literal === undefined && typeof input === "number" && (input | 0) === input) return input;
  const kind = goKindOf(input);
  throw mismatch(kind === "number" ? `number ${literal ?? String(input)}` : kind, "int32");
}

const mismatch = (value: string, goType: string): UnmarshalerError =>
  new UnmarshalerError(`json: cannot unmarshal ${value} into Go value of type ${goType}`, {
    value,
    goType,
    stack: [],
  });
