// What the decoder needs of each Go struct, computed once per type: JSON members with embedded
// structs looked through, the Go names that error messages carry, and the zero value that a field
// shows when nobody set it.
// Upstream: encoding/json's cached type fields, over the facts in kinds/data.
import { encodeJson, type Json, type JsonObject } from "homeostat/api";
import type {
  FieldFacts,
  KindData,
  TypeFacts,
  TypeRef,
} from "../../apimachinery/kind-data/kind-data.ts";

/** One JSON member of a struct. */
export interface MemberPlan {
  readonly facts: FieldFacts;
  /**
   * Go names on the way to the field, embedded structs first, as `Go struct field` errors join
   * them.
   */
  readonly stack: readonly string[];
  /** Go type without a leading pointer. */
  readonly goType: string;
  /** Go type of list items or map values. */
  readonly elementGoType: string;
  /** Go name of the struct whose JSON has this member, embedded structs looked through. */
  readonly owner: string;
  /** `"name":` */
  readonly jsonKey: string;
}

/** One struct. */
export interface StructPlan {
  readonly type: TypeFacts;
  readonly byName: ReadonlyMap<string, MemberPlan>;
  readonly members: readonly MemberPlan[];
  /** Members that are written although nobody set them. */
  readonly alwaysWritten: readonly MemberPlan[];
}

/** Plans by model name. */
export interface StructPlans {
  plan(model: string): StructPlan;
  /**
   * The value of an unset field in JSON: `{}` with its own unset members for a struct, null for
   * lists, maps and pointers.
   */
  zero(ref: TypeRef): Json;
  /** Adds the members that Go writes although nobody set them. */
  fillZeros(plan: StructPlan, object: JsonObject): JsonObject;
}

/** Plans are made when first asked for and kept. */
export function createStructPlans(data: KindData): StructPlans {
  const plans = new Map<string, StructPlan>();
  const self: StructPlans = {
    plan(model) {
      let plan = plans.get(model);
      if (!plan) plans.set(model, (plan = planOf(data, data.type(model))));
      return plan;
    },
    zero(ref) {
      if (ref.at === "struct") return self.fillZeros(self.plan(ref.type), {});
      return scalarZero(ref);
    },
    fillZeros(plan, object) {
      for (const { facts } of plan.alwaysWritten) {
        if (object[facts.name] === undefined)
          object[facts.name] = facts.pointer ? null : self.zero(facts.ref);
      }
      return object;
    },
  };
  return self;
}

/** Structs are never "empty" to omitempty, and the special types are structs in Go. */
export function neverEmpty(ref: TypeRef): boolean {
  return ref.at === "struct" || (ref.at === "special" && ref.name !== "FieldsV1");
}

/** Go type of the elements of a list or map, as reflection prints it. */
export function elementGoType(data: KindData, goType: string, ref: TypeRef): string {
  const inner = goType.startsWith("[]")
    ? goType.slice(2)
    : goType.startsWith("map[string]")
      ? goType.slice(11)
      : undefined;
  if (inner !== undefined) return inner.replace(/^\*/, "");
  const item = ref.at === "list" ? ref.items : ref.at === "map" ? ref.values : ref;
  if (item.at === "struct") return data.type(item.type).goName;
  return item.at === "bytes" ? "[]uint8" : item.at === "special" ? item.name : item.at;
}

function planOf(data: KindData, type: TypeFacts): StructPlan {
  const members = expand(data, type, [], type.goStruct);
  return {
    type,
    members,
    alwaysWritten: members.filter(isAlwaysWritten),
    byName: new Map(members.map((member) => [member.facts.name, member])),
  };
}

const isAlwaysWritten = ({ facts }: MemberPlan): boolean =>
  !facts.omitZero && (!facts.omitEmpty || (!facts.pointer && neverEmpty(facts.ref)));

function expand(
  data: KindData,
  type: TypeFacts,
  embedded: readonly string[],
  owner: string,
): MemberPlan[] {
  return type.fields.flatMap((facts) => {
    const stack = [...embedded, facts.inline ? facts.goName : facts.name];
    if (facts.inline && facts.ref.at === "struct")
      return expand(data, data.type(facts.ref.type), stack, owner);
    const goType = facts.goType.replace(/^\*/, "");
    return [
      {
        facts,
        stack,
        goType,
        owner,
        elementGoType: elementGoType(data, goType, facts.ref),
        jsonKey: `${encodeJson(facts.name)}:`,
      },
    ];
  });
}

function scalarZero(ref: TypeRef): Json {
  switch (ref.at) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float64":
      return 0;
    case "special":
      return ref.name === "Quantity" || ref.name === "Duration"
        ? ref.name === "Quantity"
          ? "0"
          : "0s"
        : ref.name === "IntOrString"
          ? 0
          : null;
    default:
      return null;
  }
}
