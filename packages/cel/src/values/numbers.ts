// Equality and order across int, uint and double. Beside a double everything is rounded to one, as
// Go converts it.
// Upstream: github.com/google/cel-go v0.26 common/types/compare.go.
import { CelError } from "./cel-error.ts";
import { CelNumber, type CelValue } from "./value.ts";

/** JavaScript compares numbers with bigints mathematically, so one plain value stands for each. */
function plain(value: CelValue): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return value instanceof CelNumber ? value.value : undefined;
}

/** Doubles are the only wrapped numbers whose value is a plain one. */
const isDouble = (value: CelValue): boolean =>
  value instanceof CelNumber && typeof value.value === "number";

/** Whether two values are numbers of the same worth, whatever their types. */
export function equalNumbers(a: CelValue, b: CelValue): boolean {
  const x = plain(a);
  const y = plain(b);
  if (x === undefined || y === undefined) return false;
  return isDouble(a) || isDouble(b) ? Number(x) === Number(y) : x == y;
}

/** Order of two numbers; undefined when one is no number. NaN has no order. */
export function compareNumbers(a: CelValue, b: CelValue): number | undefined {
  let x = plain(a);
  let y = plain(b);
  if (x === undefined || y === undefined) return undefined;
  if (isDouble(a) || isDouble(b)) {
    x = Number(x);
    y = Number(y);
    if (Number.isNaN(x) || Number.isNaN(y)) throw new CelError("NaN values cannot be ordered");
  }
  return x < y ? -1 : x > y ? 1 : 0;
}
