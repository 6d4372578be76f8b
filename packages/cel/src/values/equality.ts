// `==` and order for every value.
// Upstream: github.com/google/cel-go v0.26 common/types/util.go (Equal) and each type's Equal and
// Compare.
import { noSuchOverload } from "./cel-error.ts";
import { compareNumbers } from "./numbers.ts";
import { CelObject, type CelValue } from "./value.ts";

/** CEL's `==`. Values of unlike types are unequal, never an error. */
export function equalValues(a: CelValue, b: CelValue): boolean {
  if (a === b) return !(a instanceof CelObject) || a.equals(b);
  if (a === null || b === null) return false;
  if (a instanceof CelObject) return a.equals(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  return (typeof a === "number" || typeof a === "bigint") && b instanceof CelObject && b.equals(a);
}

/** A value that has an order. */
export interface Ordered {
  compare(other: CelValue): number;
}

const isOrdered = (value: CelValue): value is CelObject & Ordered =>
  value instanceof CelObject && "compare" in value;

/** -1, 0 or 1. Throws a CelError for values without an order. */
export function compareValues(a: CelValue, b: CelValue): number {
  if (typeof a === "string" && typeof b === "string") return compareStrings(a, b);
  const order = compareNumbers(a, b);
  if (order !== undefined) return order;
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (isOrdered(a)) return a.compare(b);
  throw noSuchOverload();
}

/** Bytewise by UTF-8, which differs from JavaScript's order only beside surrogates. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return lift(x) < lift(y) ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

/** Surrogates encode code points above every other unit. */
const lift = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
