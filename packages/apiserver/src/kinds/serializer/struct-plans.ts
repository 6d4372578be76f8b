// The decoder's plan of each Go struct, computed once per type: JSON members with embedded structs
// expanded, the Go names in error messages, and the zero values of unset fields.
// Upstream: encoding/json's cached type fields, over the Go fields in apimachinery/kind-data.
import { encodeJson, type Json, type JsonObject } from "homeostat/api";
import { type ExpandedMember, expandMembers } from "../../apimachinery/kind-data/expand-members.ts";
import { writesUnset, zeroValue } from "../../apimachinery/kind-data/zero-value.ts";
import type {
  GoField,
  KindData,
  GoStruct,
  TypeRef,
} from "../../apimachinery/kind-data/kind-data.ts";

/** One JSON member of a struct. */
export interface MemberPlan {
  readonly field: GoField;
  /**
   * Go names on the way to the field, embedded structs first, as `Go struct field` errors join
   * them.
   */
  readonly stack: readonly string[];
  /** Go type without a leading pointer. */
  readonly goType: string;
  /** Go type of list items or map values. */
  readonly elementGoType: string;
  /** Go name of the struct whose JSON has this member, embedded structs expanded. */
  readonly owner: string;
  /** `"name":` */
  readonly jsonKey: string;
}

/** One struct. */
export interface StructPlan {
  readonly type: GoStruct;
  readonly byName: ReadonlyMap<string, MemberPlan>;
  readonly members: readonly MemberPlan[];
  /** Members that are written although they are unset. */
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
  /** Adds the members that Go writes although they are unset. */
  fillZeros(plan: StructPlan, object: JsonObject): JsonObject;
}

/** Creates plans on first use and keeps them. */
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
      return zeroValue(ref);
    },
    fillZeros(plan, object) {
      for (const { field } of plan.alwaysWritten) {
        if (object[field.name] === undefined)
          object[field.name] = field.pointer ? null : self.zero(field.ref);
      }
      return object;
    },
  };
  return self;
}

/** Go type of the elements of a list or map, as reflection prints it. */
export function elementGoType(data: KindData, goType: string, ref: TypeRef): string {
  const inner = /^(?:\[\]|map\[[^\]]+\])\*?(.*)$/.exec(goType)?.[1];
  if (inner !== undefined) return inner;
  const item = elementRef(ref);
  if (item.at === "struct") return data.type(item.type).goName;
  if (item.at === "bytes") return "[]uint8";
  return item.at === "special" ? item.name : item.at;
}

function elementRef(ref: TypeRef): TypeRef {
  if (ref.at === "list") return ref.items;
  return ref.at === "map" ? ref.values : ref;
}

function planOf(data: KindData, type: GoStruct): StructPlan {
  const members = expandMembers(type.fields, (model) => data.type(model)).map((member) =>
    memberPlan(data, member, type.goStruct),
  );
  return {
    type,
    members,
    alwaysWritten: members.filter(({ field }) => writesUnset(field)),
    byName: new Map(members.map((member) => [member.field.name, member])),
  };
}

function memberPlan(
  data: KindData,
  { field, embedded }: ExpandedMember,
  owner: string,
): MemberPlan {
  const goType = field.goType.replace(/^\*/, "");
  return {
    field,
    stack: [...embedded.map(({ goName }) => goName), field.name],
    goType,
    owner,
    elementGoType: elementGoType(data, goType, field.ref),
    jsonKey: `${encodeJson(field.name)}:`,
  };
}
