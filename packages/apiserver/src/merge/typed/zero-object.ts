// An object of a built-in kind with nothing set, as Go's encoder writes it: members without
// omitempty are there. Creates are compared with it, so that nobody comes to own what nobody wrote.
// Upstream: encoding/json on zero structs;
// sigs.k8s.io/structured-merge-diff/v6/value/structreflect.go sees the same members.
import { type Json, type JsonObject, setOwn } from "homeostat/api";
import type { FieldFacts, KindData } from "../../apimachinery/kind-data/kind-data.ts";

/** The zero value of a model, without apiVersion and kind. */
export function zeroObject(data: KindData, model: string): JsonObject {
  const out: JsonObject = {};
  for (const member of data.type(model).members) {
    const value = zeroMember(data, member);
    if (value !== undefined) setOwn(out, member.name, value);
  }
  return out;
}

/** Undefined where the encoder leaves the member out. */
function zeroMember(
  data: KindData,
  { ref, pointer, omitEmpty, omitZero }: FieldFacts,
): Json | undefined {
  const isStruct = !pointer && (ref.at === "struct" || ref.at === "special");
  if (omitZero || (omitEmpty && !isStruct)) return undefined;
  if (pointer || ref.at === "list" || ref.at === "map" || ref.at === "bytes") return null;
  switch (ref.at) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float64":
      return 0;
    case "struct":
      return zeroObject(data, ref.type);
    case "special":
      return zeroSpecials[ref.name];
  }
}

const zeroSpecials = {
  Time: null,
  MicroTime: null,
  Duration: "0s",
  Quantity: "0",
  IntOrString: 0,
  RawExtension: null,
  FieldsV1: null,
  JSON: null,
  JSONSchemaPropsOrArray: null,
  JSONSchemaPropsOrBool: false,
  JSONSchemaPropsOrStringArray: null,
} as const;
