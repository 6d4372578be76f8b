// uint: 64 bits without sign.
// Upstream: github.com/google/cel-go v0.26 common/types/uint.go, overflow.go.
import { uintType } from "../types/type.ts";
import { CelError } from "./cel-error.ts";
import { CelNumber } from "./numbers.ts";

const max = 2n ** 64n - 1n;

/** A uint value. */
export class Uint extends CelNumber<bigint> {
  readonly type = uintType;
}

/** A uint, or an error outside its range. */
export function toUint(value: bigint): Uint {
  if (value < 0n || value > max) throw new CelError("unsigned integer overflow");
  return new Uint(value);
}

export function divideUint(a: Uint, b: Uint): Uint {
  if (b.value === 0n) throw new CelError("division by zero");
  return new Uint(a.value / b.value);
}

export function moduloUint(a: Uint, b: Uint): Uint {
  if (b.value === 0n) throw new CelError("modulus by zero");
  return new Uint(a.value % b.value);
}

/** `strconv.ParseUint(text, 10, 64)`; undefined where that fails. */
export function parseUint64(text: string): Uint | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text);
  return value <= max ? new Uint(value) : undefined;
}
