// Removes fields from a value, or extracts them.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/remove.go.
import { isObject, type Json, type JsonObject, setOwn } from "homeostat/api";
import { deduceAtom, settle } from "./atom.ts";
import { selectDeduced } from "./deduced.ts";
import { emptySet, type FieldSet } from "../fieldpath/field-set.ts";
import { itemElement } from "./list-item.ts";
import {
  deducedType,
  type SmdList,
  type SmdMap,
  type SmdType,
} from "../../apimachinery/types/smd-type.ts";

/**
 * The value without the fields; a map or list that loses all items becomes null. Shares parts with
 * its argument.
 */
export const removeItems = (type: SmdType, value: Json, fields: FieldSet): Json =>
  select(type, value, fields, "remove");

/** Only the fields, with atomic values whole. Shares parts with its argument. */
export const extractItems = (type: SmdType, value: Json, fields: FieldSet): Json =>
  select(type, value, fields, "extract");

type Mode = "remove" | "extract";

function select(type: SmdType, value: Json, fields: FieldSet, mode: Mode): Json {
  if (type === deducedType) return selectDeduced(value, fields, mode);
  switch (settle(type, deduceAtom(type, value))) {
    case "scalar":
      return value;
    case "map":
      return selectMembers(type.map!, value, fields, mode);
    case "list":
      return selectListItems(type.list!, value, fields, mode);
  }
}

function selectListItems(type: SmdList, value: Json, fields: FieldSet, mode: Mode): Json {
  if (!Array.isArray(value)) return null;
  if (!value.length || type.relation === "atomic") return mode === "extract" ? value : null;
  const out: Json[] = [];
  for (const item of value) {
    const element = itemElement(type, item);
    const node = typeof element === "string" ? undefined : fields.get(element.id);
    if (mode === "remove" ? node?.member : !node) continue;
    out.push(node?.below ? select(type.element(), item, node.below, mode) : item);
  }
  return out.length ? out : null;
}

function selectMembers(type: SmdMap, value: Json, fields: FieldSet, mode: Mode): Json {
  if (!isObject(value)) return null;
  const names = Object.keys(value);
  if (!names.length || type.relation === "atomic") return mode === "extract" ? value : null;
  const out: JsonObject = {};
  for (const name of names) {
    const node = fields.get(`f:${name}`);
    const fieldType = (type.field(name)?.type ?? type.element)?.();
    if (mode === "remove" ? node?.member : !node) continue;
    const inner =
      node && fieldType
        ? select(fieldType, value[name]!, node.below ?? emptySet, mode)
        : value[name]!;
    setOwn(out, name, inner);
  }
  return Object.keys(out).length ? out : null;
}
