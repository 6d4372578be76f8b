// CEL's values. Booleans, strings, null and bytes are JavaScript's own; an int is
// a number while a double can hold it and a bigint beyond; every other value is a CelObject.
// Upstream: github.com/google/cel-go v0.26 common/types.
import {
  boolType,
  bytesType,
  dynType,
  intType,
  nullType,
  stringType,
  type Type,
} from "../types/type.ts";

/** A value that JavaScript does not have. */
export abstract class CelObject {
  abstract readonly type: Type;
  /** CEL's `==`; may throw a CelError. */
  abstract equals(other: CelValue): boolean;
  /** For `optional.ofNonZeroValue`. */
  isZero(): boolean {
    return false;
  }
  /** Characters, items or entries, as prices count them. */
  get costSize(): number {
    return 1;
  }
  /** How error messages show the value. */
  abstract toString(): string;
}

/** A value that wraps one of JavaScript. */
export abstract class Wrapper<V> extends CelObject {
  readonly value: V;

  constructor(value: V) {
    super();
    this.value = value;
  }
}

export type CelInt = number | bigint;
export type CelValue = boolean | CelInt | string | null | Uint8Array | CelObject;

/** The run-time type of a value; parameters of lists and maps are dyn. */
export function typeOfValue(value: CelValue): Type {
  switch (typeof value) {
    case "number":
    case "bigint":
      return intType;
    case "string":
      return stringType;
    case "boolean":
      return boolType;
    default:
      if (value === null) return nullType;
      if (value instanceof Uint8Array) return bytesType;
      return value instanceof CelObject ? value.type : dynType;
  }
}

/** A value as upstream's messages print it. */
export function showValue(value: CelValue): string {
  if (value === null) return "null";
  if (value instanceof Uint8Array) return `[${value.join(" ")}]`;
  return String(value);
}
