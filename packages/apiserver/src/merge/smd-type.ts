// The types that structured merge works on, whatever they were made from: a custom resource's schema or the data of a
// built-in kind. Lazily linked, because built-in types are recursive.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/schema/elements.go.
import type { Json } from "homeostat/api";

/** A value that is owned as one. */
export interface SmdScalar {
  readonly at: "scalar";
  /** What a typed value may be; "untyped" takes anything, composites included (owned as one leaf). */
  readonly scalar: "string" | "numeric" | "boolean" | "untyped";
}

/** A list: owned as one (atomic), by value (set) or by keys (map). */
export interface SmdList {
  readonly at: "list";
  readonly relation: "atomic" | "set" | "map";
  /** Empty unless `relation` is "map". */
  readonly keys: readonly string[];
  readonly element: () => SmdType;
}

/** An object: owned as one (atomic) or field by field (separable). */
export interface SmdMap {
  readonly at: "map";
  readonly relation: "atomic" | "separable";
  /** Known fields; `defaultValue` serves as a missing list-map key. */
  readonly field: (name: string) => { readonly type: SmdType; readonly defaultValue?: Json } | undefined;
  /** The type of fields that are not known; undefined where there may be none. */
  readonly element?: () => SmdType;
}

/** Structure deduced from the value: maps separable, lists atomic. What x-kubernetes-preserve-unknown-fields means. */
export interface SmdDeduced {
  readonly at: "deduced";
}

/** The type of a value in structured merge. Null is allowed everywhere. */
export type SmdType = SmdScalar | SmdList | SmdMap | SmdDeduced;
