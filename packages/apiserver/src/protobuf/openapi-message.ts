// Writers for the messages of gnostic's OpenAPI models, v2 and v3: fields by their name in JSON,
// choices, maps and values of any type. Knows no document.
// Upstream: github.com/google/gnostic-models/{openapiv2,openapiv3}.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { toBlockYaml } from "./block-yaml.ts";
import type { WireWriter } from "./wire-writer.ts";

/** Writes the value of one field. */
export type Write = (writer: WireWriter, field: number, value: Json) => void;

/** Fields whose values are written alike: their numbers by their names in JSON. */
export type Row = readonly [write: Write, numbers: Readonly<Record<string, number>>];

/** What a message has besides its own fields. */
export interface OpenFields {
  /** The field of names that match a pattern: what OpenAPI calls patterned fields. */
  readonly patterned?: readonly [field: number, pattern: RegExp, write: Write];
  /** The field of names that begin with `x-`. */
  readonly extensions?: number;
}

/** Returns a function that writes the fields of a value, in the order of their numbers. */
export function writerOf(
  { patterned, extensions }: OpenFields,
  ...rows: readonly Row[]
): (writer: WireWriter, value: JsonObject) => void {
  const fields = rows
    .flatMap(([write, numbers]) =>
      Object.entries(numbers).map(([name, field]) => ({ name, field, write })),
    )
    .sort((a, b) => a.field - b.field);
  return (writer, value) => {
    for (const { name, field, write } of fields)
      if (value[name] !== undefined) write(writer, field, value[name]);
    if (patterned) writePatterned(writer, patterned, value);
    if (extensions !== undefined) writePatterned(writer, [extensions, /^x-/, any], value);
  };
}

function writePatterned(
  writer: WireWriter,
  [field, pattern, write]: NonNullable<OpenFields["patterned"]>,
  value: JsonObject,
): void {
  for (const [name, one] of Object.entries(value))
    if (pattern.test(name)) namedEntry(writer, field, name, (at) => write(writer, at, one));
}

export const string: Write = (writer, field, value) =>
  void (typeof value === "string" && value && writer.string(field, value));
export const strings: Write = (writer, field, value) => {
  for (const each of listOf(value)) writer.string(field, String(each));
};
export const flag: Write = (writer, field, value) =>
  void (value === true && writer.varint(field, 1));
export const integer: Write = (writer, field, value) =>
  void (value && writer.varint(field, Number(value)));
export const double: Write = (writer, field, value) =>
  void (value && writer.double(field, Number(value)));
/** Values of any form travel as YAML. */
export const any: Write = (writer, field, value) =>
  writer.nested(field, () => writer.string(2, toBlockYaml(value)));
export const many: Write = (writer, field, value) => {
  for (const each of listOf(value)) any(writer, field, each);
};

const listOf = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);

/** A nested message. */
export function message(open: OpenFields, ...rows: readonly Row[]): Write {
  const writeFields = writerOf(open, ...rows);
  return (writer, field, value) => {
    if (isObject(value)) writer.nested(field, () => writeFields(writer, value));
  };
}

export const each =
  (write: Write): Write =>
  (writer, field, value) => {
    for (const one of listOf(value)) write(writer, field, one);
  };

/** A message around a message: how a choice between messages is written. */
export const wrapped =
  (inner: number, write: Write): Write =>
  (writer, field, value) =>
    writer.nested(field, () => write(writer, inner, value));

/** A map, as a message that repeats pairs of name and value in field `entry`. */
export const map =
  (entry: number, write: Write): Write =>
  (writer, field, value) =>
    writer.nested(field, () => {
      for (const [name, one] of Object.entries(value as JsonObject))
        namedEntry(writer, entry, name, (at) => write(writer, at, one));
    });

/** A pair of a name and a value. */
export function namedEntry(
  writer: WireWriter,
  field: number,
  name: string,
  writeValue: (at: number) => void,
): void {
  writer.nested(field, () => {
    if (name) writer.string(1, name);
    writeValue(2);
  });
}

/** The rows of fields with consecutive numbers from `first` on. */
export function numbered(first: number, fields: readonly NamedWrite[]): readonly Row[] {
  return fields.map(([name, write], i) => [write, { [name]: first + i }]);
}

export type NamedWrite = readonly [name: string, write: Write];

const named = (write: Write, ...names: readonly string[]): readonly NamedWrite[] =>
  names.map((name) => [name, write]);

/** The bounds of a scalar or a list, in the order that all messages have them. */
export const bounds: readonly NamedWrite[] = [
  ["maximum", double],
  ["exclusiveMaximum", flag],
  ["minimum", double],
  ["exclusiveMinimum", flag],
  ...named(integer, "maxLength", "minLength"),
  ["pattern", string],
  ...named(integer, "maxItems", "minItems"),
  ["uniqueItems", flag],
];

/** The limits of a value, in the order of both versions' schemas. */
export const limits: readonly NamedWrite[] = [
  ["multipleOf", double],
  ...bounds,
  ...named(integer, "maxProperties", "minProperties"),
  ["required", strings],
  ["enum", many],
];

export const additionalProperties =
  (schema: Write): Write =>
  (writer, field, value) =>
    writer.nested(field, () => {
      if (typeof value === "boolean") writer.varint(2, value ? 1 : 0);
      else schema(writer, 1, value);
    });

export const securityRequirements: Write = each(map(1, wrapped(1, strings)));

export const externalDocs: Write = message({ extensions: 3 }, [string, { description: 1, url: 2 }]);
