// The number behind a quantity's text: an integer times a power of ten.
// Upstream: k8s.io/apimachinery v0.36 pkg/api/resource/{quantity,amount,suffix}.go.
import { fitsInt } from "../values/int.ts";
import { order } from "../values/numbers.ts";

/**
 * `unscaled` × 10^`scale`. `exact` when upstream stores 64 bits and no arbitrary decimal;
 * `isInteger` and `asInteger` depend on it.
 */
export interface Amount {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly exact: boolean;
}

const pattern = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
const form = {
  error:
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
};
const suffixFault = { error: "unable to parse quantity's suffix" };
const decimals: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaries: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const nano = -9;
const mostDigits = 18;
const maxBinary = 2n ** 63n - 1n;

/** The amount of a text such as `500m` or `1.5Gi`, or upstream's error. */
export function parseAmount(text: string): Amount | { readonly error: string } {
  const match = pattern.exec(text);
  if (!match) return form;
  const [, sign, whole = "", fraction = "", suffix = ""] = match;
  const power = suffixPower(suffix);
  if (!power) return suffixFault;
  const digits = whole.replace(/^0+/, "") + fraction;
  const magnitude =
    power.base === 10
      ? decimalAmount(digits, fraction.length, power.exponent)
      : binaryAmount(digits, fraction.length, power.exponent);
  return sign === "-" ? { ...magnitude, unscaled: -magnitude.unscaled } : magnitude;
}

function suffixPower(
  suffix: string,
): { readonly base: 2 | 10; readonly exponent: number } | undefined {
  if (Object.hasOwn(decimals, suffix)) return { base: 10, exponent: decimals[suffix]! };
  const step = binaries.indexOf(suffix);
  if (step > 0) return { base: 2, exponent: step * 10 };
  return /^[eE][+-]?\d+$/.test(suffix)
    ? { base: 10, exponent: Number(suffix.slice(1)) }
    : undefined;
}

function decimalAmount(digits: string, places: number, exponent: number): Amount {
  const unscaled = BigInt(digits || "0");
  const scale = exponent - places;
  if (digits.length <= mostDigits && scale >= nano) return { unscaled, scale, exact: true };
  return roundToNano({ unscaled, scale, exact: false });
}

function binaryAmount(digits: string, places: number, exponent: number): Amount {
  const unscaled = BigInt(digits || "0") << BigInt(exponent);
  const short = places === 0 && 14 - digits.length - Math.trunc((exponent * 3) / 10) >= 0;
  if (short && fitsInt(unscaled)) return { unscaled, scale: 0, exact: true };
  const amount = roundToNano({ unscaled, scale: -places, exact: false });
  return compareAmounts(amount, { unscaled: maxBinary, scale: 0, exact: false }) > 0
    ? { unscaled: maxBinary, scale: 0, exact: false }
    : amount;
}

/** Away from zero: an amount that is not zero never becomes zero. */
function roundToNano(amount: Amount): Amount {
  if (amount.scale >= nano) return amount;
  const divisor = 10n ** BigInt(nano - amount.scale);
  return { unscaled: (amount.unscaled + divisor - 1n) / divisor, scale: nano, exact: false };
}

/** -1, 0 or 1. */
export function compareAmounts(a: Amount, b: Amount): number {
  const [x, y] = align(a, b);
  return order(x, y);
}

/** The sum; exact while both are and 64 bits hold it. */
export function addAmounts(a: Amount, b: Amount): Amount {
  if (a.exact && b.exact && b.unscaled === 0n) return a;
  if (a.exact && b.exact && a.unscaled === 0n) return b;
  const [x, y] = align(a, b);
  return {
    unscaled: x + y,
    scale: Math.min(a.scale, b.scale),
    exact: a.exact && b.exact && fitsInt(x) && fitsInt(y) && fitsInt(x + y),
  };
}

function align(a: Amount, b: Amount): readonly [bigint, bigint] {
  const scale = Math.min(a.scale, b.scale);
  return [a.unscaled * 10n ** BigInt(a.scale - scale), b.unscaled * 10n ** BigInt(b.scale - scale)];
}
