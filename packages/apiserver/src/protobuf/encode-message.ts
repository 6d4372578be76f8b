// Encodes JSON objects as protobuf messages, byte for byte as Go does: fields by number, zero
// values of plain fields included, maps in order of key.
// Upstream: the MarshalToSizedBuffer methods in generated.pb.go.
import { compareBytewise, isObject, type Json, type JsonObject } from "homeostat/api";
import type { GoField, KindData, GoStruct, TypeRef } from "../apimachinery/kind-data/kind-data.ts";
import { encodeSpecial } from "./encode-special.ts";
import type { WireWriter } from "./wire-writer.ts";

/** Writes messages of the kinds in `data`. */
export class MessageEncoder {
  readonly #data: KindData;
  readonly #ordered = new Map<GoStruct, readonly GoField[]>();

  constructor(data: KindData) {
    this.#data = data;
  }

  /** Writes one message; members that the model lacks are left out. */
  encode(model: string, object: JsonObject, writer: WireWriter): void {
    for (const field of this.#fieldsOf(this.#data.type(model))) {
      if (field.inline && field.ref.at === "struct") {
        const { type } = field.ref;
        writer.nested(field.number, () => this.encode(type, object, writer));
        continue;
      }
      const value = Object.hasOwn(object, field.name) ? object[field.name]! : null;
      if (value !== null) this.#present(field.number, field.ref, value, writer);
      else if (!field.pointer) this.#zero(field.number, field.ref, writer);
    }
  }

  #fieldsOf(type: GoStruct): readonly GoField[] {
    const known = this.#ordered.get(type);
    if (known) return known;
    const fields = type.fields
      .filter((field) => field.number)
      .toSorted((a, b) => a.number - b.number);
    this.#ordered.set(type, fields);
    return fields;
  }

  #present(number: number, ref: TypeRef, value: Json, writer: WireWriter): void {
    switch (ref.at) {
      case "string":
        return writer.string(number, String(value));
      case "bool":
        return writer.varint(number, value ? 1 : 0);
      case "int32":
      case "int64":
        return writer.varint(number, typeof value === "bigint" ? value : Math.trunc(Number(value)));
      case "float64":
        return writer.double(number, Number(value));
      case "bytes":
        return writer.bytes(number, Buffer.from(String(value), "base64"));
      case "special":
        return writer.nested(number, () =>
          encodeSpecial(ref.name, value, writer, (model, object) =>
            this.encode(model, object, writer),
          ),
        );
      case "struct":
        return writer.nested(number, () =>
          this.encode(ref.type, isObject(value) ? value : {}, writer),
        );
      case "list":
        return ref.wrapped
          ? writer.nested(number, () => this.#items(1, ref.items, value, writer))
          : this.#items(number, ref.items, value, writer);
      case "map":
        return this.#map(number, ref.values, value, writer);
    }
  }

  #items(number: number, items: TypeRef, value: Json, writer: WireWriter): void {
    if (!Array.isArray(value)) return;
    for (const item of value) {
      if (item === null) this.#zero(number, items, writer);
      else this.#present(number, items, item, writer);
    }
  }

  #map(number: number, values: TypeRef, value: Json, writer: WireWriter): void {
    if (!isObject(value)) return;
    for (const key of Object.keys(value).toSorted(compareBytewise)) {
      writer.nested(number, () => {
        writer.string(1, key);
        const item = value[key]!;
        if (item !== null) this.#present(2, values, item, writer);
        else this.#zero(2, values, writer);
      });
    }
  }

  /** Writes plain fields even if they are zero, but no nil lists, maps and bytes. */
  #zero(number: number, ref: TypeRef, writer: WireWriter): void {
    if (ref.at === "string") writer.string(number, "");
    else if (ref.at === "bool" || ref.at === "int32" || ref.at === "int64")
      writer.varint(number, 0);
    else if (ref.at === "float64") writer.double(number, 0);
    else if (ref.at === "struct") writer.nested(number, () => this.encode(ref.type, {}, writer));
    else if (ref.at === "special")
      writer.nested(number, () =>
        encodeSpecial(ref.name, null, writer, (model, object) =>
          this.encode(model, object, writer),
        ),
      );
    else if (ref.at === "list" && ref.wrapped) writer.nested(number, () => {});
  }
}
