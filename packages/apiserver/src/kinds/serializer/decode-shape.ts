// JSON inside of text, as Go's standard library decodes it into small structs that no kind has.
// Upstream: Go's encoding/json decode.go.
import { isObject, type Json, type JsonObject, JsonSyntaxError, parseJson } from "homeostat/api";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";
import { decodeSpecial, UnmarshalerError } from "./go-specials.ts";

/** The value, undefined for null, or Go's error. */
export type DecodedShape = { readonly value: Json | undefined } | { readonly error: string };

export function decodeShape(text: string, shape: Shape): DecodedShape {
  try {
    const decoding = new Decoding();
    const value = decoding.value(shape, parseJson(text).value);
    return decoding.saved === undefined ? { value } : { error: decoding.saved };
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof UnmarshalerError)
      return { error: error.message };
    throw error;
  }
}

/** A type in Go, and its form in JSON. `name` is a struct's name without its package. */
export interface Shape {
  readonly type: string;
  readonly name?: string;
  readonly json: "object" | "array" | "string" | "bool" | "time";
  readonly fields?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

export const textShape: Shape = { type: "string", json: "string" };
export const boolShape: Shape = { type: "bool", json: "bool" };

export const structShape = (type: string, fields: Readonly<Record<string, Shape>>): Shape => ({
  type,
  name: type.slice(type.indexOf(".") + 1),
  json: "object",
  fields,
});

/** Names are matched in any case. The first mismatch is kept; a malformed time ends decoding. */
class Decoding {
  /** The first mismatch. */
  saved: string | undefined;
  readonly #trail: { readonly struct: string; readonly field: string }[] = [];

  value(shape: Shape, input: Json): Json | undefined {
    if (input === null) return undefined;
    if (shape.json === "time") return this.#time(input);
    if (goKindOf(input) !== shape.json) {
      this.saved ??= this.#mismatch(goKindOf(input), shape.type);
      return undefined;
    }
    if (shape.items && Array.isArray(input))
      return input.map((item) => this.value(shape.items!, item) ?? {});
    return shape.fields && isObject(input) ? this.#struct(shape, input) : input;
  }

  #struct(shape: Shape, input: JsonObject): JsonObject {
    const object: JsonObject = {};
    const names = Object.keys(shape.fields!);
    for (const [key, member] of Object.entries(input)) {
      const field = names.find((name) => name.toLowerCase() === key.toLowerCase());
      if (field === undefined) continue;
      this.#trail.push({ struct: shape.name!, field });
      const value = this.value(shape.fields![field]!, member);
      if (value !== undefined) object[field] = value;
      this.#trail.pop();
    }
    return object;
  }

  #time(input: Json): Json | undefined {
    try {
      return decodeSpecial("Time", input, () => null);
    } catch (error) {
      if (!(error instanceof UnmarshalerError) || !error.mismatch) throw error;
      throw new UnmarshalerError(this.#mismatch(error.mismatch.value, error.mismatch.goType));
    }
  }

  #mismatch(value: string, type: string): string {
    const fields = this.#trail.map(({ field }) => field).join(".");
    const target = fields
      ? `struct field ${this.#trail.at(-1)!.struct}.${fields} of type ${type}`
      : `value of type ${type}`;
    return `json: cannot unmarshal ${value} into Go ${target}`;
  }
}
