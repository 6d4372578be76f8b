// Deduces whether a value is a scalar, list or map by its type.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/helpers.go (deduceAtom, handleAtom).
import { isObject, type Json } from "homeostat/api";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";

/** The kind of a value; "open" when it is absent, null, or of no kind that its type offers. */
export type AtomKind = "scalar" | "list" | "map" | "open";

/** The kind of a value. A type that offers one kind decides by itself. */
export function deduceAtom(type: SmdType, value: Json | undefined): AtomKind {
  if (value === undefined || value === null) return openOf(type);
  if (Array.isArray(value)) return type.list ? "list" : openOf(type);
  if (isObject(value)) return type.map ? "map" : openOf(type);
  return type.scalar ? "scalar" : openOf(type);
}

/** Treats an open value as a map if the type offers one, then as a scalar, then as a list. */
export function settle(type: SmdType, kind: AtomKind): Exclude<AtomKind, "open"> {
  if (kind !== "open") return kind;
  if (type.map) return "map";
  return type.scalar ? "scalar" : "list";
}

const openOf = (type: SmdType): AtomKind =>
  Number(!!type.scalar) + Number(!!type.list) + Number(!!type.map) > 1
    ? "open"
    : settle(type, "open");
