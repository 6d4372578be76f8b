// The types that structured merge works on, whatever they were made from: a custom resource's
// schema or the data of a built-in kind. A type offers up to three alternatives; the value decides
// which one is meant. Lazily linked, because built-in types are recursive.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/schema/elements.go.
import type { Json } from "homeostat/api";

/** What a scalar may be; "untyped" takes any scalar. */
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
  /** False where no field is named at all. */
  readonly hasFields: boolean;
  /** The type of fields that are not named; absent where there may be none. */
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
