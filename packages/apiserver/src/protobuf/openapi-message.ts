// Writers for the messages of gnostic's OpenAPI models, v2 and v3: fields by their name in JSON,
// choices, maps and values of any type. Knows no document.
// Upstream: github.com/google/gnostic-models/{openapiv2,openapiv3}.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { toBlockYaml } from "./block-yaml.ts";
import type { WireWriter } from "./wire-writer.ts";

/** Writes the value of one field. */
export type Write = (writer: WireWriter, field: number, value: Json) => void;

/**
 * Fields by their name in JSON, in the order of their numbers; extensions come last in every
 * message.
 */
export interface Message {
  readonly fields: readonly (readonly [name: string, field: number, write: Write])[];
  /** Field for what begins with `x-`. */
  readonly extensions?: number;
}

/** Writes the fields that a value has. */
export function writeMessage(
  writer: WireWriter,
  { fields, extensions }: Message,
  value: JsonObject,
): void {
  for (const [name, field, write] of fields)
    if (value[name] !== undefined) write(writer, field, value[name]);
  if (extensions !== undefined)
    for (const [name, extension] of Object.entries(value))
      if (name.startsWith("x-"))
        namedEntry(writer, extensions, name, (at) => any(writer, at, extension));
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

/** A nested message. The message is a function, because schemas hold schemas. */
export const message =
  (of: (value: JsonObject) => Message): Write =>
  (writer, field, value) => {
    if (isObject(value)) writer.nested(field, () => writeMessage(writer, of(value), value));
  };

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

/** Fields with consecutive numbers from `first` on. */
export function numbered(
  first: number,
  fields: readonly (readonly [name: string, write: Write])[],
): Message["fields"] {
  return fields.map(([name, write], i) => [name, first + i, write] as const);
}

type NamedWrite = readonly [name: string, write: Write];

/** The bounds of a scalar or a list, in the order that all messages have them. */
export const bounds: readonly NamedWrite[] = [
  ["maximum", double],
  ["exclusiveMaximum", flag],
  ["minimum", double],
  ["exclusiveMinimum", flag],
  ["maxLength", integer],
  ["minLength", integer],
  ["pattern", string],
  ["maxItems", integer],
  ["minItems", integer],
  ["uniqueItems", flag],
];

/** The limits of a value, in the order of both versions' schemas. */
export const limits: readonly NamedWrite[] = [
  ["multipleOf", double],
  ...bounds,
  ["maxProperties", integer],
  ["minProperties", integer],
  ["required", strings],
  ["enum", many],
];

export const securityRequirements: Write = each(
  map(1, (writer, field, value) => writer.nested(field, () => strings(writer, 1, value))),
);

export const externalDocs: Write = message(() => ({
  fields: [
    ["description", 1, string],
    ["url", 2, string],
  ],
  extensions: 3,
}));
