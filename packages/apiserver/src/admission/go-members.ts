// Reads members of a JSON object as Go's decoder reads them into fields of a struct. A null counts
// as absent. Throws an Error with the decoder's message.
// Go: encoding/json/decode.go, as forked in sigs.k8s.io/json.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { checkGoBase64 } from "../kinds/serializer/go-base64.ts";
import { goKindOf } from "../apimachinery/values/go-kind.ts";

/** Reads single members; undefined if there is none. */
export interface MemberReader {
  text(field: string, goType?: string): string | undefined;
  bool(field: string): boolean | undefined;
  /** An integer of 32 bits. */
  integer(field: string): number | undefined;
  objects(field: string, goType: string): readonly JsonObject[];
  texts(field: string): readonly string[];
  textMap(field: string): ReadonlyMap<string, string>;
  /** Base64 as text. */
  bytes(field: string): string | undefined;
}

/** The error for a value of another JSON type; `at` as Go names it. */
export const mismatch = (value: Json, at: string, goType: string): Error =>
  new Error(
    `json: cannot unmarshal ${goKindOf(value)} into Go struct field ${at} of type ${goType}`,
  );

/** `at`: the struct and the path of the object, e.g. `AdmissionResponse.response`. */
export function readMembers(object: JsonObject, at: string): MemberReader {
  const cannot = (value: Json, field: string, goType: string): Error =>
    mismatch(value, `${at}.${field}`, goType);
  const memberOf = (field: string): Json | undefined =>
    Object.hasOwn(object, field) ? (object[field] ?? undefined) : undefined;
  const itemsOf = (field: string, values: readonly Json[]): readonly string[] =>
    values.map((value) => {
      if (value !== null && typeof value !== "string") throw cannot(value, field, "string");
      return value ?? "";
    });
  return {
    text(field, goType = "string") {
      const value = memberOf(field);
      if (value !== undefined && typeof value !== "string") throw cannot(value, field, goType);
      return value;
    },
    bool(field) {
      const value = memberOf(field);
      if (value !== undefined && typeof value !== "boolean") throw cannot(value, field, "bool");
      return value;
    },
    integer(field) {
      const value = memberOf(field);
      return value === undefined ? undefined : toInt32(value, `${at}.${field}`);
    },
    objects(field, goType) {
      const value = memberOf(field);
      return value === undefined ? [] : toObjects(value, `${at}.${field}`, goType);
    },
    texts(field) {
      const value = memberOf(field);
      if (value !== undefined && !Array.isArray(value)) throw cannot(value, field, "[]string");
      return itemsOf(field, value ?? []);
    },
    textMap(field) {
      const value = memberOf(field);
      if (value !== undefined && !isObject(value)) throw cannot(value, field, "map[string]string");
      const members = value ?? {};
      const texts = itemsOf(field, Object.values(members) as readonly Json[]);
      return new Map(Object.keys(members).map((key, i) => [key, texts[i]!]));
    },
    bytes(field) {
      const value = memberOf(field);
      if (value === undefined) return undefined;
      if (Array.isArray(value)) return fromNumbers(value, (item) => cannot(item, field, "uint8"));
      if (typeof value !== "string") throw cannot(value, field, "[]uint8");
      return fromBase64(value);
    },
  };
}

/** A list of bytes. */
function fromNumbers(items: readonly Json[], cannot: (item: Json) => Error): string {
  for (const item of items)
    if (item !== null && (typeof item !== "number" || !isByte(item))) throw cannot(item);
  return Buffer.from(items.map(Number)).toString("utf8");
}

const isByte = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 255;

function toInt32(value: Json, at: string): number {
  if (typeof value !== "bigint" && typeof value !== "number") throw mismatch(value, at, "int32");
  if ((Number(value) | 0) === Number(value)) return Number(value);
  throw new Error(
    `json: cannot unmarshal number ${value} into Go struct field ${at} of type int32`,
  );
}

function toObjects(value: Json, at: string, goType: string): readonly JsonObject[] {
  if (!Array.isArray(value)) throw mismatch(value, at, `[]${goType}`);
  return value.map((item) => {
    if (item !== null && !isObject(item)) throw mismatch(item, at, goType);
    return item ?? {};
  });
}

/** Standard base64 with padding; line ends are skipped. */
function fromBase64(text: string): string {
  const fault = checkGoBase64(text);
  if (fault !== undefined) throw new Error(fault);
  return Buffer.from(text, "base64").toString("utf8");
}
