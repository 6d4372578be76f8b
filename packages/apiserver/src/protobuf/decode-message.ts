// Decodes a protobuf message to the JSON that Go would write of it: the fields on the wire, then
// the zero values that encoding/json writes.
// Upstream: the Unmarshal methods in generated.pb.go, and the struct tags behind KindData.
import type { Json, JsonObject } from "homeostat/api";
import { setOwn } from "homeostat/api";
import type { GoField, KindData, GoStruct, TypeRef } from "../apimachinery/kind-data/kind-data.ts";
import {
  writesUnset,
  zeroField,
  zeroStruct,
  zeroValue,
} from "../apimachinery/kind-data/zero-value.ts";
import { decodeSpecial } from "./decode-special.ts";
import { ProtobufError, type Tag, type WireReader, type WireType } from "./wire-reader.ts";

/** Reads messages of the kinds in `data`. */
export class MessageDecoder {
  readonly #data: KindData;

  constructor(data: KindData) {
    this.#data = data;
  }

  /** Reads one message whole. Throws {@link ProtobufError}. */
  decode(model: string, reader: WireReader): JsonObject {
    const out: JsonObject = {};
    const type = this.#data.type(model);
    this.#read(type, reader, out);
    this.#complete(type, out);
    return out;
  }

  /**
   * A field that occurs again adds to a list or map, merges into a message and replaces anything
   * else, as in Go.
   */
  #read(type: GoStruct, reader: WireReader, out: JsonObject): void {
    while (!reader.done) {
      const tag = reader.tag(type.goStruct);
      const field = type.byNumber(tag.field);
      if (!field) reader.skip(tag.wireType);
      else if (field.inline && field.ref.at === "struct")
        this.#read(this.#data.type(field.ref.type), message(reader, tag, field), out);
      else this.#field(field, tag, reader, out);
    }
  }

  #field(field: GoField, tag: Tag, reader: WireReader, out: JsonObject): void {
    const { ref, name } = field;
    const before = Object.hasOwn(out, name) ? out[name] : undefined;
    if (ref.at === "list" && !ref.wrapped)
      setOwn(out, name, this.#items(field, (before ?? []) as Json[], tag, reader));
    else if (ref.at === "map") {
      const map = (before ?? {}) as JsonObject;
      this.#entry(ref.values, message(reader, tag, field), map);
      setOwn(out, name, map);
    } else if (ref.at === "struct" && before)
      this.#read(this.#data.type(ref.type), message(reader, tag, field), before as JsonObject);
    else setOwn(out, name, this.#value(ref, tag.wireType, reader, field));
  }

  /** Appends the items of a list field: one, or a packed run of them. */
  #items(field: GoField, list: Json[], { wireType }: Tag, reader: WireReader): Json[] {
    const items = field.ref.at === "list" ? field.ref.items : field.ref;
    const packed = wireType === 2 && wireTypeOf(items) !== 2 ? reader.message() : undefined;
    if (!packed) list.push(this.#value(items, wireType, reader, field));
    else while (!packed.done) list.push(this.#value(items, wireTypeOf(items), packed, field));
    return list;
  }

  #entry(values: TypeRef, reader: WireReader, map: JsonObject): void {
    let key = "";
    let value: Json | undefined;
    while (!reader.done) {
      const { field, wireType } = reader.tag("MapEntry");
      if (field === 1) key = reader.string();
      else if (field === 2) value = this.#value(values, wireTypeOf(values), reader, undefined);
      else reader.skip(wireType);
    }
    setOwn(map, key, value ?? this.#zero(values));
  }

  /**
   * `field` is named if the wire type is wrong; absent for entries of maps, which upstream does not
   * check.
   */
  #value(ref: TypeRef, wireType: WireType, reader: WireReader, field: GoField | undefined): Json {
    if (wireType !== wireTypeOf(ref)) throw wrongWireType(wireType, field);
    switch (ref.at) {
      case "string":
        return reader.string();
      case "bool":
        return reader.bool();
      case "int32":
        return reader.int32();
      case "int64":
        return reader.int64();
      case "float64":
        return reader.double();
      case "bytes":
        return Buffer.from(reader.bytes()).toString("base64");
      case "special":
        return decodeSpecial(ref.name, reader.message(), (model, nested) =>
          this.decode(model, nested),
        );
      case "struct": {
        const out: JsonObject = {};
        this.#read(this.#data.type(ref.type), reader.message(), out);
        return out;
      }
      case "list":
        return this.#wrapped(ref.items, reader.message());
      case "map":
        throw new ProtobufError("proto: a map inside a list or map has no protobuf form");
    }
  }

  /** A named slice, which is a message, e.g. Verbs; nil if empty. */
  #wrapped(items: TypeRef, reader: WireReader): Json {
    const list: Json[] = [];
    while (!reader.done) {
      const { field, wireType } = reader.tag("Items");
      if (field === 1) list.push(this.#value(items, wireType, reader, undefined));
      else reader.skip(wireType);
    }
    return list.length ? list : null;
  }

  /**
   * Adds the zero values that encoding/json writes and drops those that it omits, all the way down.
   */
  #complete(type: GoStruct, out: JsonObject): void {
    for (const field of type.members) {
      if (!field.number) continue;
      const value = Object.hasOwn(out, field.name) ? out[field.name]! : undefined;
      if (value === undefined) {
        if (writesUnset(field)) setOwn(out, field.name, zeroField(this.#data, field));
      } else if (!field.pointer && field.omitEmpty && isEmpty(field.ref, value))
        delete out[field.name];
      else if (!field.pointer && field.omitZero && value === null) delete out[field.name];
      else this.#completeValue(field.ref, value);
    }
  }

  #completeValue(ref: TypeRef, value: Json): void {
    if (ref.at === "struct") this.#complete(this.#data.type(ref.type), value as JsonObject);
    else if (ref.at === "list" && value)
      for (const item of value as Json[]) this.#completeValue(ref.items, item);
    else if (ref.at === "map" && value)
      for (const item of Object.values(value as JsonObject)) this.#completeValue(ref.values, item);
  }

  /** The value of a map entry without one. */
  #zero(ref: TypeRef): Json {
    if (ref.at === "struct") return zeroStruct(this.#data, this.#data.type(ref.type));
    return ref.at === "bytes" ? "" : zeroValue(ref);
  }
}

function message(reader: WireReader, { wireType }: Tag, field: GoField): WireReader {
  if (wireType !== 2) throw wrongWireType(wireType, field);
  return reader.message();
}

function wireTypeOf(ref: TypeRef): WireType {
  if (ref.at === "bool" || ref.at === "int32" || ref.at === "int64") return 0;
  return ref.at === "float64" ? 1 : 2;
}

const wrongWireType = (wireType: WireType, field: GoField | undefined): ProtobufError =>
  new ProtobufError(`proto: wrong wireType = ${wireType} for field ${field?.goName ?? "Items"}`);

function isEmpty(ref: TypeRef, value: Json): boolean {
  if (ref.at === "struct" || ref.at === "special") return false;
  if (value === null || value === "" || value === false || value === 0) return true;
  return Array.isArray(value)
    ? value.length === 0
    : typeof value === "object" && Object.keys(value).length === 0;
}
