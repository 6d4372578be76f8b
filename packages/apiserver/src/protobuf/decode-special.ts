// Decodes messages whose JSON is not an object of their fields: times, quantities, raw JSON, unions
// with a schema.
// Upstream: k8s.io/apimachinery pkg/apis/meta/v1 (time_proto.go, micro_time_proto.go, fieldsv1),
// pkg/api/resource/quantity_proto.go, pkg/util/intstr, pkg/runtime (RawExtension),
// k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/marshal.go.
import { type Json, JsonSyntaxError, parseJson } from "homeostat/api";
import type { SpecialName } from "../apimachinery/kind-data/kind-data.ts";
import { formatGoTime, rfc3339, rfc3339Micro } from "../apimachinery/values/go-time.ts";
import { canonicalQuantity } from "../apimachinery/values/quantity.ts";
import { formatGoDuration } from "../apimachinery/values/go-duration.ts";
import { ProtobufError, type Tag, type WireReader } from "./wire-reader.ts";

/** Reads a nested message of a named model. */
export type NestedDecoder = (model: string, reader: WireReader) => Json;

export const schemaModel =
  "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
const zeroTimeSeconds = -62_135_596_800;

/** The JSON of a special message. Throws {@link ProtobufError}. */
export function decodeSpecial(name: SpecialName, reader: WireReader, nested: NestedDecoder): Json {
  switch (name) {
    case "Time":
    case "MicroTime":
      return readTime(name, reader);
    case "Duration":
      return formatGoDuration(
        BigInt(readFields("Duration", reader, { 1: ["Duration", 0] }).int(1)),
      );
    case "Quantity":
      return readQuantity(readFields("Quantity", reader, { 1: ["String_", 2] }).text(1));
    case "IntOrString": {
      const fields = readFields("IntOrString", reader, {
        1: ["Type", 0],
        2: ["IntVal", 0],
        3: ["StrVal", 2],
      });
      return fields.int(1) === 1
        ? (fields.text(3) ?? "")
        : Number(BigInt.asIntN(32, BigInt(fields.int(2))));
    }
    case "RawExtension":
    case "FieldsV1":
    case "JSON":
      return readRaw(readFields(name, reader, { 1: ["Raw", 2] }).text(1));
    default:
      return readSchemaUnion(name, reader, nested);
  }
}

function readTime(name: "Time" | "MicroTime", reader: WireReader): Json {
  if (reader.done) return null;
  const fields = readFields("Timestamp", reader, { 1: ["Seconds", 0], 2: ["Nanos", 0] });
  const seconds = Number(fields.int(1));
  if (seconds === zeroTimeSeconds) return null;
  const micros = Math.trunc(Number(BigInt.asIntN(32, BigInt(fields.int(2)))) / 1000);
  return name === "Time"
    ? formatGoTime({ seconds, micros: 0 }, rfc3339)
    : formatGoTime({ seconds, micros }, rfc3339Micro);
}

function readQuantity(text: string | undefined): Json {
  if (text === undefined) return "0";
  const canonical = canonicalQuantity(text);
  if ("error" in canonical) throw new ProtobufError(canonical.error);
  return canonical.text;
}

function readRaw(text: string | undefined): Json {
  if (!text) return null;
  try {
    return parseJson(text).value;
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new ProtobufError(error.message) : error;
  }
}

function readSchemaUnion(name: SpecialName, reader: WireReader, nested: NestedDecoder): Json {
  let schema: Json = null;
  let allows = false;
  const list: Json[] = [];
  while (!reader.done) {
    const tag = reader.tag(name);
    if (name === "JSONSchemaPropsOrBool" && tag.field === 1)
      allows = expecting(tag, 0, "Allows", () => reader.bool());
    else if (tag.field === 1 || (name === "JSONSchemaPropsOrBool" && tag.field === 2))
      schema = expecting(tag, 2, "Schema", () => nested(schemaModel, reader.message()));
    else if (tag.field === 2 && name === "JSONSchemaPropsOrArray")
      list.push(expecting(tag, 2, "JSONSchemas", () => nested(schemaModel, reader.message())));
    else if (tag.field === 2) list.push(expecting(tag, 2, "Property", () => reader.string()));
    else reader.skip(tag.wireType);
  }
  if (list.length) return list;
  return schema ?? (name === "JSONSchemaPropsOrBool" ? allows : null);
}

type Shape = Readonly<Record<number, readonly [goName: string, wireType: 0 | 2]>>;

/** Reads a flat message of integers and strings. */
function readFields(
  message: string,
  reader: WireReader,
  shape: Shape,
): { int(field: number): number | bigint; text(field: number): string | undefined } {
  const found = new Map<number, number | bigint | string>();
  while (!reader.done) {
    const tag = reader.tag(message);
    const expected = shape[tag.field];
    if (!expected) reader.skip(tag.wireType);
    else
      found.set(
        tag.field,
        expecting(tag, expected[1], expected[0], () =>
          expected[1] === 0 ? reader.int64() : reader.string(),
        ),
      );
  }
  return {
    int: (field) => (found.get(field) ?? 0) as number | bigint,
    text: (field) => found.get(field) as string | undefined,
  };
}

function expecting<T>(tag: Tag, wireType: number, goName: string, read: () => T): T {
  if (tag.wireType !== wireType)
    throw new ProtobufError(`proto: wrong wireType = ${tag.wireType} for field ${goName}`);
  return read();
}
