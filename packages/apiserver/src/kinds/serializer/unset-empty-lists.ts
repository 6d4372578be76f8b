// Makes null of the empty lists and maps that upstream's storage does not tell from absent ones. An
// object has them until it is stored: managers own them, and admission sees them.
// Upstream: the protobuf form of the kinds.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import type { TypeRef } from "../../apimachinery/kind-data/kind-data.ts";
import { refusedWhenEmpty } from "./go-decoder.ts";
import type { MemberPlan, StructPlans } from "./struct-plans.ts";

/** The members of a struct in or below which such lists may be. */
interface Walk {
  readonly steps: readonly Step[];
}

interface Step {
  readonly name: string;
  /** The value itself is written although it is empty. */
  readonly isUnset: boolean;
  readonly below: Walk | undefined;
}

/** A function that changes objects of `model`; undefined when no object of it can have any. */
export function createListUnsetter(
  plans: StructPlans,
  model: string,
): ((object: JsonObject) => void) | undefined {
  const walk = walkOf(plans, model, new Map());
  return walk && ((object) => unset(object, walk));
}

function walkOf(
  plans: StructPlans,
  model: string,
  known: Map<string, Walk | undefined>,
): Walk | undefined {
  if (known.has(model)) return known.get(model);
  known.set(model, undefined);
  const steps = plans.plan(model).members.flatMap((member): readonly Step[] => {
    const below = walkBelow(plans, member.field.ref, known);
    const isUnset = isWrittenWhenEmpty(member);
    return isUnset || below ? [{ name: member.field.name, isUnset, below }] : [];
  });
  const walk = steps.length ? { steps } : undefined;
  known.set(model, walk);
  return walk;
}

const isWrittenWhenEmpty = ({ field }: MemberPlan): boolean =>
  !field.omitEmpty &&
  !field.pointer &&
  !refusedWhenEmpty.has(field.goType) &&
  (field.ref.at === "list" || field.ref.at === "map");

function walkBelow(
  plans: StructPlans,
  ref: TypeRef,
  known: Map<string, Walk | undefined>,
): Walk | undefined {
  if (ref.at === "struct") return walkOf(plans, ref.type, known);
  if (ref.at === "list") return walkBelow(plans, ref.items, known);
  return ref.at === "map" ? walkBelow(plans, ref.values, known) : undefined;
}

function unset(object: JsonObject, { steps }: Walk): void {
  for (const { name, isUnset, below } of steps) {
    const value = object[name];
    if (typeof value !== "object" || value === null) continue;
    if (isUnset && isEmpty(value)) object[name] = null;
    else if (below) unsetBelow(value, below);
  }
}

function unsetBelow(value: Json, walk: Walk): void {
  if (Array.isArray(value)) for (const item of value) unsetBelow(item, walk);
  else if (isObject(value)) unset(value, walk);
}

const isEmpty = (value: Json[] | JsonObject): boolean =>
  Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
