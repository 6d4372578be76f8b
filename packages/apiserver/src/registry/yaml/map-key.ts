// Keys of mappings, which YAML lets be of any type and JSON does not.
// Upstream: sigs.k8s.io/yaml (yaml.go, convertToJSONableObject), fmt (%#v).
import { compareBytewise, type Json, type JsonObject } from "homeostat/api";
import { formatGoFloat, quoteGo } from "../../apimachinery/errors/field-error.ts";
import { formatGoSyntax } from "../../apimachinery/values/go-syntax.ts";
import type { YamlScalar } from "./decode-scalar.ts";
import { formatFloatKey } from "./resolve-scalar.ts";

/** A key. */
export interface MapKey {
  readonly scalar: YamlScalar;
  /** Its name in JSON. */
  readonly text: string;
  /** Differs where upstream's keys differ: the text `1` is not the number. */
  readonly identity: string;
  /** Whether upstream refuses it: null, and integers beyond int64. */
  readonly isUnsupported: boolean;
}

const int64Max = 2n ** 63n - 1n;

/** No text of YAML begins with half a character. */
const mark = "\udc00";

/** The key that a scalar is. */
export function toMapKey(scalar: YamlScalar): MapKey {
  const { type, value } = scalar;
  if (typeof value === "string")
    return { scalar, text: value, identity: value, isUnsupported: false };
  const text = type === "float" ? formatFloatKey(value as number) : String(value);
  const isUnsupported = value === null || (typeof value === "bigint" && value > int64Max);
  return { scalar, text, identity: `${mark}${type} ${String(value)}`, isUnsupported };
}

/** A member of an object. */
export interface Member {
  readonly key: MapKey;
  readonly value: Json;
}

/** The members of objects of which some keys are no texts. */
export type OddMembers = WeakMap<JsonObject, readonly Member[]>;

/** A key under Go's `%#v`. */
export function formatKey({ scalar: { type, value } }: MapKey): string {
  if (value === null) return "<nil>";
  return type === "float" ? formatGoFloat(value as number) : formatGoSyntax(value);
}

/** A decoded value under Go's `%#v`, e.g. `map[interface {}]interface {}{"a":1}`. */
export const formatDecoded = (value: Json, odd: OddMembers): string =>
  value === null ? "<nil>" : formatInner(value, odd);

function formatInner(value: Json, odd: OddMembers): string {
  if (typeof value !== "object" || value === null) return formatGoSyntax(value);
  const format = (inner: Json): string => formatInner(inner, odd);
  if (Array.isArray(value)) return `[]interface {}{${value.map(format).join(", ")}}`;
  const members = odd.get(value);
  const texts = members
    ? [...members]
        .sort((a, b) => compareKeys(a.key, b.key))
        .map(({ key, value: inner }) => [formatInnerKey(key), inner] as const)
    : Object.keys(value)
        .sort(compareBytewise)
        .map((name) => [quoteGo(name), value[name]!] as const);
  const inside = texts.map(([key, inner]) => `${key}:${format(inner)}`).join(", ");
  return `map[interface {}]interface {}{${inside}}`;
}

const formatInnerKey = (key: MapKey): string =>
  key.scalar.value === null ? "interface {}(nil)" : formatKey(key);

/** Types of keys in the order in which Go prints them. */
const order = ["null", "str", "uint64", "int", "float", "bool"];

const typeOf = ({ scalar: { type, value } }: MapKey): string =>
  typeof value === "bigint" && value > int64Max ? "uint64" : type;

/** Go sorts by type, and then by value. */
function compareKeys(a: MapKey, b: MapKey): number {
  const byType = order.indexOf(typeOf(a)) - order.indexOf(typeOf(b));
  if (byType !== 0) return byType;
  if (typeOf(a) === "str") return compareBytewise(a.text, b.text);
  return a.scalar.value! < b.scalar.value! ? -1 : 1;
}

/** Why upstream refuses a key. */
export function formatKeyFault({ key, value }: Member, odd: OddMembers): string {
  const type = key.scalar.value === null ? "%!s(<nil>)" : "uint64";
  const shown = formatDecoded(value, odd);
  return `unsupported map key of type: ${type}, key: ${formatKey(key)}, value: ${shown}`;
}
