// Prints a value of one of upstream's internal Go types as encoding/json does, from its form in the
// API: members in Go's order and under Go's names, set or not.
// Upstream: k8s.io/apimachinery/pkg/util/validation/field/errors.go (ErrorBody), Go's package
// encoding/json.
import { compareBytewise, encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { encodeUnsorted } from "../../apimachinery/encode-unsorted.ts";
import type { PrintInternal } from "../../apimachinery/errors/field-error.ts";
import type { Layout, LayoutMember } from "../../apimachinery/kind-data/decode-layout.ts";

/**
 * How upstream's internal structs hold values that the API has in another form, by internal type:
 * its conversion functions, as far as a printed value shows them.
 */
export type InternalConversions = Readonly<Record<string, (value: Json | undefined) => JsonObject>>;

/** Reads the layout when the first value is printed. */
export function createInternalPrinter(
  layout: () => Layout,
  conversions: InternalConversions,
): PrintInternal {
  return (type, value) => printValue({ layout: layout(), conversions }, type, value);
}

interface Internals {
  readonly layout: Layout;
  readonly conversions: InternalConversions;
}

/** What a type without a value prints as; structs print their members. */
const zeros: Readonly<Record<string, string>> = {
  string: '""',
  bool: "false",
  int: "0",
  float: "0",
  bytes: "null",
  "@Time": "null",
  "@JSON": "null",
  "@Raw": "null",
  "@Duration": '"0s"',
  "@Quantity": '"0"',
  "@IntOrString": "0",
};

function printValue(internals: Internals, type: string, value: Json | undefined): string {
  const isAbsent = value === undefined || value === null;
  if (type.startsWith("*")) return isAbsent ? "null" : printValue(internals, type.slice(1), value);
  if (type.startsWith("[]"))
    return Array.isArray(value)
      ? `[${value.map((item) => printValue(internals, type.slice(2), item)).join(",")}]`
      : "null";
  if (type.startsWith("map:"))
    return isObject(value) ? printMap(internals, type.slice("map:".length), value) : "null";
  // One of several forms in the API; the struct has a member for each.
  if (type.startsWith("|")) return printStruct(internals, type.slice(1), value);
  const zero = zeros[type];
  if (zero === undefined) return printStruct(internals, type, value);
  if (isAbsent) return zero;
  return type === "@Raw" ? encodeUnsorted(value) : encodeJson(value);
}

function printMap(internals: Internals, values: string, map: JsonObject): string {
  const entries = Object.keys(map)
    .toSorted(compareBytewise)
    .map((key) => `${encodeJson(key)}:${printValue(internals, values, map[key])}`);
  return `{${entries.join(",")}}`;
}

function printStruct(internals: Internals, type: string, value: Json | undefined): string {
  const struct = internals.conversions[type]?.(value) ?? value;
  return `{${printMembers(internals, type, isObject(struct) ? struct : {}).join(",")}}`;
}

function printMembers(internals: Internals, type: string, value: JsonObject): string[] {
  return internals.layout.members(type).flatMap((member) => {
    const own = isOwner(member) ? value : value[member.name];
    if (member.printed === "")
      return printMembers(internals, member.type, isObject(own) ? own : {});
    const printed = printValue(internals, member.type, own);
    return isOmitted(member, printed) ? [] : [`${encodeJson(member.printed)}:${printed}`];
  });
}

/** Members of the struct stand in the owner, in the API. */
const isOwner = ({ name }: LayoutMember): boolean => name === "" || name === ".";

const empty: ReadonlySet<string> = new Set(["null", '""', "0", "false", "[]", "{}"]);

const isOmitted = ({ omitEmpty, omitZero }: LayoutMember, printed: string): boolean =>
  (omitEmpty && empty.has(printed)) || (omitZero && printed === "null");
