// Which alternative of a type a value means.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/helpers.go (deduceAtom, handleAtom).
import { isObject, type Json } from "homeostat/api";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";

/**
 * An alternative of a type; "open" where the value decides nothing (absent, null, or of none of the
 * kinds offered).
 */
export type Alternative = "scalar" | "list" | "map" | "open";

/** What the value decides. A type with a single alternative leaves nothing to decide. */
export function alternativeOf(type: SmdType, value: Json | undefined): Alternative {
  if (value === undefined || value === null) return openOf(type);
  if (Array.isArray(value)) return type.list ? "list" : openOf(type);
  if (isObject(value)) return type.map ? "map" : openOf(type);
  return type.scalar ? "scalar" : openOf(type);
}

/**
 * What an undecided value is taken for: a map if the type offers one, then a scalar, then a list.
 */
export const settle = (type: SmdType, alternative: Alternative): Exclude<Alternative, "open"> =>
  alternative !== "open" ? alternative : type.map ? "map" : type.scalar ? "scalar" : "list";

const openOf = (type: SmdType): Alternative =>
  Number(!!type.scalar) + Number(!!type.list) + Number(!!type.map) > 1
    ? "open"
    : settle(type, "open");
