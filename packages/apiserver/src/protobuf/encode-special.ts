// Encodes messages whose JSON is not an object of their fields; the counterpart of
// decode-special.ts.
import { encodeJsonBytes, isObject, type Json, type JsonObject } from "homeostat/api";
import type { SpecialName } from "../apimachinery/kind-data/kind-data.ts";
import { parseGoTime, rfc3339, rfc3339Micro } from "../apimachinery/values/go-time.ts";
import { schemaModel } from "./decode-special.ts";
import { parseGoDuration } from "../apimachinery/values/go-duration.ts";
import type { WireWriter } from "./wire-writer.ts";

/** Writes a nested message of a named model. */
export type NestedEncoder = (model: string, object: JsonObject) => void;

/** Writes the content of a special message; null is the zero value. */
export function encodeSpecial(
  name: SpecialName,
  value: Json,
  writer: WireWriter,
  nested: NestedEncoder,
): void {
  switch (name) {
    case "Time":
    case "MicroTime":
      return writeTime(name, value, writer);
    case "Duration": {
      const duration = parseGoDuration(String(value ?? "0s"));
      return writer.varint(1, "nanos" in duration ? duration.nanos : 0n);
    }
    case "Quantity":
      return writer.string(1, value === null ? "0" : String(value));
    case "IntOrString":
      writer.varint(1, typeof value === "string" ? 1 : 0);
      writer.varint(2, typeof value === "string" ? 0 : Number(value ?? 0));
      return writer.string(3, typeof value === "string" ? value : "");
    case "RawExtension":
    case "FieldsV1":
    case "JSON":
      return value === null && name !== "JSON"
        ? undefined
        : writer.bytes(1, encodeJsonBytes(value));
    default:
      return writeSchemaUnion(name, value, writer, nested);
  }
}

function writeTime(name: "Time" | "MicroTime", value: Json, writer: WireWriter): void {
  if (value === null) return;
  const { seconds, micros } = parseGoTime(String(value), name === "Time" ? rfc3339 : rfc3339Micro);
  writer.varint(1, seconds);
  writer.varint(2, name === "Time" ? 0 : micros * 1000);
}

function writeSchemaUnion(
  name: SpecialName,
  value: Json,
  writer: WireWriter,
  nested: NestedEncoder,
): void {
  const schema = (field: number, object: JsonObject): void =>
    writer.nested(field, () => nested(schemaModel, object));
  if (name === "JSONSchemaPropsOrBool") {
    writer.varint(1, isObject(value) || value === true ? 1 : 0);
    if (isObject(value)) schema(2, value);
  } else if (isObject(value)) schema(1, value);
  else if (Array.isArray(value)) {
    for (const item of value) {
      if (isObject(item)) schema(2, item);
      else writer.string(2, String(item));
    }
  }
}
