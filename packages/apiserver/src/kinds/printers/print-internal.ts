// Prints a value of one of upstream's internal Go types as encoding/json does, from its form in the
// API: members in Go's order and under Go's names, set or not.
// Upstream: k8s.io/apimachinery/pkg/util/validation/field/errors.go (ErrorBody), Go's package
// encoding/json, pkg/apis/core/v1/conversion.go (Convert_v1_PodSpec_To_core_PodSpec).
import { compareBytewise, encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";
import type { PrintInternal } from "../../apimachinery/errors/field-error.ts";
import type { Layout, LayoutMember } from "../../apimachinery/kind-data/decode-layout.ts";

/** Reads the layout when the first value is printed. */
export function createInternalPrinter(layout: () => Layout): PrintInternal {
  return (type, value) => printValue(layout(), type, value);
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

function printValue(layout: Layout, type: string, value: Json | undefined): string {
  const isAbsent = value === undefined || value === null;
  if (type.startsWith("*")) return isAbsent ? "null" : printValue(layout, type.slice(1), value);
  if (type.startsWith("[]"))
    return Array.isArray(value)
      ? `[${value.map((item) => printValue(layout, type.slice(2), item)).join(",")}]`
      : "null";
  if (type.startsWith("map:"))
    return isObject(value) ? printMap(layout, type.slice("map:".length), value) : "null";
  if (type.startsWith("|")) return printStruct(layout, type.slice(1), toChoice(value));
  const zero = zeros[type];
  if (zero === undefined) return printStruct(layout, type, isObject(value) ? value : {});
  if (isAbsent) return zero;
  return type === "@Raw" ? printRaw(value) : encodeJson(value);
}

/** As it was sent: members in their own order. */
function printRaw(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(printRaw).join(",")}]`;
  if (!isObject(value)) return encodeJson(value);
  const members = Object.entries(value).map(
    ([name, each]) => `${encodeJson(name)}:${printRaw(each)}`,
  );
  return `{${members.join(",")}}`;
}

function printMap(layout: Layout, values: string, map: JsonObject): string {
  const entries = Object.keys(map)
    .toSorted(compareBytewise)
    .map((key) => `${encodeJson(key)}:${printValue(layout, values, map[key])}`);
  return `{${entries.join(",")}}`;
}

function printStruct(layout: Layout, type: string, value: JsonObject): string {
  return `{${printMembers(layout, type, conversions[type]?.(value) ?? value).join(",")}}`;
}

function printMembers(layout: Layout, type: string, value: JsonObject): string[] {
  return layout.members(type).flatMap((member) => {
    const own = isOwner(member) ? value : value[member.name];
    if (member.printed === "") return printMembers(layout, member.type, isObject(own) ? own : {});
    const printed = printValue(layout, member.type, own);
    return isOmitted(member, printed) ? [] : [`${encodeJson(member.printed)}:${printed}`];
  });
}

/** Members of the struct stand in the owner, in the API. */
const isOwner = ({ name }: LayoutMember): boolean => name === "" || name === ".";

const empty: ReadonlySet<string> = new Set(["null", '""', "0", "false", "[]", "{}"]);

const isOmitted = ({ omitEmpty, omitZero }: LayoutMember, printed: string): boolean =>
  (omitEmpty && empty.has(printed)) || (omitZero && printed === "null");

/** One schema or several, a schema or true, a schema or names. */
function toChoice(value: Json | undefined): JsonObject {
  if (Array.isArray(value)) return { jSONSchemas: value, property: value };
  return typeof value === "boolean" ? { allows: value } : { allows: true, schema: value ?? null };
}

/** Where an internal struct holds what the API has elsewhere. */
const conversions: Readonly<Record<string, (value: JsonObject) => JsonObject>> = {
  "core.PodSpec"(spec) {
    const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
    const context = isObject(spec["securityContext"]) ? spec["securityContext"] : {};
    const host = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
    return {
      ...spec,
      securityContext: { ...context, ...host } as JsonObject,
      serviceAccountName: spec["serviceAccountName"] || spec["serviceAccount"] || "",
    };
  },
};
