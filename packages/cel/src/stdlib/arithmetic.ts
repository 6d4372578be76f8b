// The arithmetic of values: +, -, *, /, % and the sign.
// Upstream: github.com/google/cel-go v0.26 common/types (the methods Add, Subtract, Multiply,
// Divide, Modulo and Negate).
import type { Implementation } from "../functions/declarations.ts";
import { type CelError, noSuchOverload } from "../values/cel-error.ts";
import { Double } from "../values/double.ts";
import { Duration, toDuration } from "../values/duration.ts";
import {
  addInt,
  divideInt,
  isInt,
  moduloInt,
  multiplyInt,
  negateInt,
  subtractInt,
} from "../values/int.ts";
import { CelList } from "../values/list.ts";
import { Timestamp } from "../values/timestamp.ts";
import { divideUint, moduloUint, toUint, Uint } from "../values/uint.ts";
import type { CelValue } from "../values/value.ts";

export const add: Implementation = (x, y) => {
  if (isInt(x!) && isInt(y!)) return addInt(x, y);
  if (typeof x === "string" && typeof y === "string") return x + y;
  if (x instanceof Double && y instanceof Double) return new Double(x.value + y.value);
  if (x instanceof Uint && y instanceof Uint) return toUint(x.value + y.value);
  if (x instanceof CelList && y instanceof CelList) return x.concat(y);
  if (x instanceof Uint8Array && y instanceof Uint8Array) return Uint8Array.from([...x, ...y]);
  if (x instanceof Duration && y instanceof Duration)
    return toDuration(x.nanoseconds + y.nanoseconds);
  if (x instanceof Duration && y instanceof Timestamp) return y.plus(x);
  if (x instanceof Timestamp && y instanceof Duration) return x.plus(y);
  throw wrongOperand(
    x!,
    "_+_",
    (value) =>
      typeof value === "string" ||
      value instanceof CelList ||
      value instanceof Uint8Array ||
      isQuantitative(value),
  );
};

export const subtract: Implementation = (x, y) => {
  if (isInt(x!) && isInt(y!)) return subtractInt(x, y);
  if (x instanceof Double && y instanceof Double) return new Double(x.value - y.value);
  if (x instanceof Uint && y instanceof Uint) return toUint(x.value - y.value);
  if (x instanceof Duration && y instanceof Duration)
    return toDuration(x.nanoseconds - y.nanoseconds);
  if (x instanceof Timestamp && y instanceof Duration) return x.plus(toDuration(-y.nanoseconds));
  if (x instanceof Timestamp && y instanceof Timestamp) return x.minus(y);
  throw wrongOperand(x!, "_-_", isQuantitative);
};

export const multiply: Implementation = (x, y) => {
  if (isInt(x!) && isInt(y!)) return multiplyInt(x, y);
  if (x instanceof Double && y instanceof Double) return new Double(x.value * y.value);
  if (x instanceof Uint && y instanceof Uint) return toUint(x.value * y.value);
  throw wrongOperand(x!, "_*_", isNumeric);
};

export const divide: Implementation = (x, y) => {
  if (isInt(x!) && isInt(y!)) return divideInt(x, y);
  if (x instanceof Double && y instanceof Double) return new Double(x.value / y.value);
  if (x instanceof Uint && y instanceof Uint) return divideUint(x, y);
  throw wrongOperand(x!, "_/_", isNumeric);
};

export const modulo: Implementation = (x, y) => {
  if (isInt(x!) && isInt(y!)) return moduloInt(x, y);
  if (x instanceof Uint && y instanceof Uint) return moduloUint(x, y);
  throw wrongOperand(x!, "_%_", (value) => isInt(value) || value instanceof Uint);
};

export const negate: Implementation = (x) => {
  if (isInt(x!)) return negateInt(x);
  if (x instanceof Double) return new Double(-x.value);
  if (x instanceof Duration) return toDuration(-x.nanoseconds);
  throw noSuchOverload();
};

const isNumeric = (value: CelValue): boolean =>
  isInt(value) || value instanceof Double || value instanceof Uint;
/** Whether a value has a plus and a minus. */
export const isQuantitative = (value: CelValue): boolean =>
  isNumeric(value) || value instanceof Duration || value instanceof Timestamp;

/**
 * A receiver that has the operator reports the other operand; one that lacks it reports the
 * operator.
 */
const wrongOperand = (
  receiver: CelValue,
  operator: string,
  has: (value: CelValue) => boolean,
): CelError => (has(receiver) ? noSuchOverload() : noSuchOverload(operator));
