// The types that structured merge works on, made from the schema of a custom resource or the data
// of a built-in kind. A type has up to three alternatives; the value selects one. Links are lazy,
// because built-in types are recursive.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/schema/elements.go.
import type { Json } from "homeostat/api";

/** The type of a scalar; "untyped" accepts any. */
export type SmdScalar = "string" | "numeric" | "boolean" | "untyped";

/** A list: owned as one (atomic), by value (set) or by keys (map). */
export interface SmdList {
  readonly relation: "atomic" | "set" | "map";
  /** Empty unless `relation` is "map". */
  readonly keys: readonly string[];
  readonly element: () => SmdType;
}

/** A field that the schema names. */
export interface SmdField {
  readonly type: () => SmdType;
  /** Stands for a list-map key that an item leaves out. */
  readonly default?: Json;
}

/** An object: owned as one (atomic) or field by field (separable). */
export interface SmdMap {
  readonly relation: "atomic" | "separable";
  readonly field: (name: string) => SmdField | undefined;
  /** False if the schema names no field. */
  readonly hasFields: boolean;
  /** The type of other fields; absent if there may be none. */
  readonly element?: () => SmdType;
}

/** The type of a value. At least one alternative is present; null is allowed everywhere. */
export interface SmdType {
  readonly scalar?: SmdScalar;
  readonly list?: SmdList;
  readonly map?: SmdMap;
}

const noField = (): undefined => undefined;

/** Anything, owned as one leaf. */
export const untypedAtomicType: SmdType = {
  scalar: "untyped",
  list: { relation: "atomic", keys: [], element: () => untypedAtomicType },
  map: { relation: "atomic", field: noField, hasFields: false, element: () => untypedAtomicType },
};

/** Structure deduced from the value: maps separable, lists atomic. */
export const deducedType: SmdType = {
  scalar: "untyped",
  list: { relation: "atomic", keys: [], element: () => untypedAtomicType },
  map: { relation: "separable", field: noField, hasFields: false, element: () => deducedType },
};

/** True if every value fits, however deep. */
export const acceptsAnything = (type: SmdType): boolean =>
  type === untypedAtomicType || type === deducedType;
