// int: 64 bits with sign, overflow is an error. Numbers while exact, bigints beyond; every result
// is in that normal form, so that === decides equality of ints.
// Upstream: github.com/google/cel-go v0.26 common/types/int.go, overflow.go.
import { CelError } from "./cel-error.ts";
import type { CelInt, CelValue } from "./value.ts";

const max = 2n ** 63n - 1n;
const min = -(2n ** 63n);

export const isInt = (value: CelValue | undefined): value is CelInt =>
  typeof value === "number" || typeof value === "bigint";

/** A bigint in normal form; throws outside 64 bits. */
export function toInt(value: bigint): CelInt {
  if (value > max || value < min) throw new CelError("integer overflow");
  return normalInt(value);
}

/** A bigint known to fit, in normal form. */
export function normalInt(value: bigint): CelInt {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Whether a bigint fits an int. */
export const fitsInt = (value: bigint): boolean => value <= max && value >= min;

export function addInt(a: CelInt, b: CelInt): CelInt {
  if (typeof a === "number" && typeof b === "number") {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return toInt(BigInt(a) + BigInt(b));
}

export function subtractInt(a: CelInt, b: CelInt): CelInt {
  if (typeof a === "number" && typeof b === "number") {
    const difference = a - b;
    if (Number.isSafeInteger(difference)) return difference;
  }
  return toInt(BigInt(a) - BigInt(b));
}

export function multiplyInt(a: CelInt, b: CelInt): CelInt {
  if (typeof a === "number" && typeof b === "number") {
    const product = a * b;
    if (Number.isSafeInteger(product)) return product + 0;
  }
  return toInt(BigInt(a) * BigInt(b));
}

export function divideInt(a: CelInt, b: CelInt): CelInt {
  if (b === 0) throw new CelError("division by zero");
  if (typeof a === "number" && typeof b === "number") return Math.trunc(a / b) + 0;
  return toInt(BigInt(a) / BigInt(b));
}

export function moduloInt(a: CelInt, b: CelInt): CelInt {
  if (b === 0) throw new CelError("modulus by zero");
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  if (a === min && b === -1) throw new CelError("integer overflow");
  return toInt(BigInt(a) % BigInt(b));
}

export function negateInt(a: CelInt): CelInt {
  return typeof a === "number" ? 0 - a : toInt(-a);
}

/** `strconv.ParseInt(text, 10, 64)`; undefined where that fails. */
export function parseInt64(text: string): CelInt | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return fitsInt(value) ? normalInt(value) : undefined;
}
