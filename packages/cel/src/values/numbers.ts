// The wrapped numbers, and equality and order across int, uint and double. Compared with a double,
// ints are converted to double as in Go.
// Upstream: github.com/google/cel-go v0.26 common/types/compare.go.
import { CelError } from "./cel-error.ts";
import { type CelValue, Wrapper } from "./value.ts";

/** uint and double: numbers that are wrapped, since a bare number is an int. */
export abstract class CelNumber<V extends number | bigint = number | bigint> extends Wrapper<V> {
  equals(other: CelValue): boolean {
    return equalNumbers(this, other);
  }

  override isZero(): boolean {
    return this.value == 0;
  }

  toString(): string {
    return this.value.toString();
  }
}

/** JavaScript compares numbers with bigints mathematically, so one plain value stands for each. */
function plain(value: CelValue): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return value instanceof CelNumber ? value.value : undefined;
}

/** Doubles are the only wrapped numbers whose value is a plain one. */
const isDouble = (value: CelValue): boolean =>
  value instanceof CelNumber && typeof value.value === "number";

/** Whether two values are equal numbers of any types. */
export function equalNumbers(a: CelValue, b: CelValue): boolean {
  const x = plain(a);
  const y = plain(b);
  if (x === undefined || y === undefined) return false;
  return isDouble(a) || isDouble(b) ? Number(x) === Number(y) : x == y;
}

/** -1, 0 or 1; undefined when one is not a number. Throws a CelError for NaN. */
export function compareNumbers(a: CelValue, b: CelValue): number | undefined {
  let x = plain(a);
  let y = plain(b);
  if (x === undefined || y === undefined) return undefined;
  if (isDouble(a) || isDouble(b)) {
    x = Number(x);
    y = Number(y);
    if (Number.isNaN(x) || Number.isNaN(y)) throw new CelError("NaN values cannot be ordered");
  }
  return order(x, y);
}

/** -1, 0 or 1. */
export const order = (x: number | bigint, y: number | bigint): number =>
  Number(x > y) - Number(x < y);
