// Paths to fields. Each step is a field name, the keys of a list item, the value of a set item, or
// an index.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/fieldpath (element.go, path.go, serialize-pe.go).
import {
  compareBytewise,
  encodeJson,
  isObject,
  type Json,
  JsonSyntaxError,
  parseJson,
} from "homeostat/api";
import { MergeError } from "./merge-error.ts";
import { compareValues, formatPathValue } from "./value-order.ts";

/** A key of a list item. */
export interface KeyPart {
  readonly name: string;
  readonly value: Json;
}

/**
 * One step. `id` is its FieldsV1 form (`f:spec`, `k:{"name":"c"}`, `v:"x"`, `i:0`); equal steps
 * have equal ids.
 */
export type PathElement =
  | { readonly at: "field"; readonly id: string; readonly name: string }
  | { readonly at: "key"; readonly id: string; readonly parts: readonly KeyPart[] }
  | { readonly at: "value"; readonly id: string; readonly value: Json }
  | { readonly at: "index"; readonly id: string; readonly index: number };

/** Steps from the root; the empty path is the whole object, which no manager owns. */
export type FieldPath = readonly PathElement[];

export const fieldElement = (name: string): PathElement => ({ at: "field", id: `f:${name}`, name });
export const valueElement = (value: Json): PathElement => ({
  at: "value",
  id: `v:${encodeJson(value)}`,
  value,
});
export const indexElement = (index: number): PathElement => ({
  at: "index",
  id: `i:${index}`,
  index,
});

/** The order of the parts does not matter. */
export function keyElement(parts: readonly KeyPart[]): PathElement {
  const sorted = [...parts].sort((a, b) => compareBytewise(a.name, b.name));
  return {
    at: "key",
    id: `k:{${sorted.map(({ name, value }) => `${encodeJson(name)}:${encodeJson(value)}`).join(",")}}`,
    parts: sorted,
  };
}

/**
 * Parses a FieldsV1 key. Returns undefined for the unknown forms of later versions; throws {@link
 * MergeError} for malformed keys.
 */
export function parsePathElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new MergeError("key must be 2 characters long:");
  if (text[1] !== ":") throw new MergeError(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case "f":
      return { at: "field", id: text, name: rest };
    case "v":
      return valueElement(parseValue(rest));
    case "k":
      return parseKey(rest);
    case "i":
      if (!/^[+-]?[0-9]+$/.test(rest))
        throw new MergeError(`strconv.Atoi: parsing ${encodeJson(rest)}: invalid syntax`);
      return indexElement(Number(rest));
    default:
      return undefined;
  }
}

function parseKey(text: string): PathElement {
  const value = parseValue(text);
  if (!isObject(value)) throw new MergeError(`expected an object of list keys, got ${text}`);
  return keyElement(Object.keys(value).map((name) => ({ name, value: value[name]! })));
}

function parseValue(text: string): Json {
  try {
    return parseJson(text).value;
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new MergeError(error.message) : error;
  }
}

const rank = { field: 0, key: 1, value: 2, index: 3 } as const;

/** Orders names before keys, values and indexes. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  if (a.id === b.id) return 0;
  if (a.at === "field" && b.at === "field") return compareBytewise(a.name, b.name);
  if (a.at === "key" && b.at === "key") return compareKeyParts(a.parts, b.parts);
  if (a.at === "value" && b.at === "value") return compareValues(a.value, b.value);
  if (a.at === "index" && b.at === "index") return a.index - b.index;
  return rank[a.at] - rank[b.at];
}

function compareKeyParts(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order =
      compareBytewise(a[i]!.name, b[i]!.name) || compareValues(a[i]!.value, b[i]!.value);
    if (order) return order;
  }
  return a.length - b.length;
}

/** A step as errors print it: `.spec`, `[name="c"]`, `[="x"]`, `[0]`. */
export function formatPathElement(element: PathElement): string {
  switch (element.at) {
    case "field":
      return `.${element.name}`;
    case "key":
      return `[${element.parts.map(({ name, value }) => `${name}=${formatPathValue(value)}`).join(",")}]`;
    case "value":
      return `[=${formatPathValue(element.value)}]`;
    case "index":
      return `[${element.index}]`;
  }
}

/** A path as errors print it, e.g. `.spec.containers[name="c"].image`. */
export const formatFieldPath = (path: FieldPath): string => path.map(formatPathElement).join("");
