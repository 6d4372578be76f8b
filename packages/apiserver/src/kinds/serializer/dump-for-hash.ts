// Prints an object as Go's spew library prints the struct that a controller has of it: the text
// that upstream takes hashes of, with the type before every value. As the struct comes out of
// protobuf: lists and maps without members are nil.
// Upstream: k8s.io/utils/dump (ForHash), github.com/davecgh/go-spew/spew (format.go), the types of
// k8s.io/api, k8s.io/apimachinery and Go's package time.
import { compareBytewise, isObject, type Json, type JsonObject } from "homeostat/api";
import { formatGoFloat } from "../../apimachinery/errors/field-error.ts";
import type {
  GoField,
  KindData,
  SpecialName,
  TypeRef,
} from "../../apimachinery/kind-data/kind-data.ts";
import { dumpQuantity } from "./dump-quantity.ts";

/** E.g. `(v1.PodTemplateSpec){ObjectMeta:(v1.ObjectMeta){Name:(string) …} Spec:…}`. */
export function dumpForHash(data: KindData, model: string, object: JsonObject): string {
  return `(${data.type(model).goName})${dumpStruct(data, model, object)}`;
}

const nil = "<nil>";

function dumpStruct(data: KindData, model: string, object: JsonObject): string {
  const fields = data.type(model).fields.map((field) => dumpField(data, field, object));
  return `{${fields.join(" ")}}`;
}

function dumpField(data: KindData, field: GoField, owner: JsonObject): string {
  const value = field.inline ? owner : owner[field.name];
  const isNil = field.pointer && (value === undefined || value === null);
  return `${field.goName}:(${field.goType})${isNil ? nil : dumpValue(data, field.ref, value)}`;
}

function dumpValue(data: KindData, ref: TypeRef, value: Json | undefined): string {
  switch (ref.at) {
    case "string":
      return typeof value === "string" ? value : "";
    case "bool":
      return String(value === true);
    case "int32":
    case "int64":
      return String(value ?? 0);
    case "float64":
      return formatGoFloat(Number(value ?? 0));
    case "bytes":
      return typeof value === "string" && value ? dumpBytes(Buffer.from(value, "base64")) : nil;
    case "struct":
      return dumpStruct(data, ref.type, isObject(value) ? value : {});
    case "list":
      return Array.isArray(value) && value.length
        ? `[${value.map((item) => dumpValue(data, ref.items, item)).join(" ")}]`
        : nil;
    case "map":
      return isObject(value) && Object.keys(value).length
        ? `map[${dumpEntries(data, ref.values, value)}]`
        : nil;
    case "special":
      return dumpSpecial(ref.name, value);
  }
}

const dumpEntries = (data: KindData, values: TypeRef, object: JsonObject): string =>
  Object.keys(object)
    .toSorted(compareBytewise)
    .map((key) => `${key}:${dumpValue(data, values, object[key])}`)
    .join(" ");

const dumpBytes = (bytes: Uint8Array): string => `[${bytes.join(" ")}]`;

function dumpSpecial(name: SpecialName, value: Json | undefined): string {
  switch (name) {
    case "Time":
      return `{Time:(time.Time)${dumpTime(value)}}`;
    case "Quantity":
      return dumpQuantity(typeof value === "string" ? value : "0");
    case "IntOrString":
      return typeof value === "string"
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${Number(value ?? 0)} StrVal:(string)}`;
    case "FieldsV1":
      return `{Raw:([]uint8)${dumpBytes(Buffer.from(JSON.stringify(value ?? {})))}}`;
    default:
      throw new Error(`hash an object with a field of type ${name}: no template has one`);
  }
}

/** Seconds from the year 1 to 1970 (`unixToInternal`). */
const secondsBefore1970 = 62_135_596_800;
/** The zone of a machine that names none: `localLoc` after `initLocal`. */
const localZone =
  "{name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}";

function dumpTime(value: Json | undefined): string {
  if (typeof value !== "string") return "{wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}";
  const seconds = Math.floor(Date.parse(value) / 1000) + secondsBefore1970;
  return `{wall:(uint64)0 ext:(int64)${seconds} loc:(*time.Location)${localZone}}`;
}
