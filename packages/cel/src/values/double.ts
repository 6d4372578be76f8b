// double: a 64-bit float, wrapped, since a bare number is an int.
// Upstream: github.com/google/cel-go v0.26 common/types/double.go; strconv.FormatFloat with verb
// 'g'.
import { doubleType } from "../types/type.ts";
import { CelNumber } from "./numbers.ts";

/** A double value. */
export class Double extends CelNumber<number> {
  readonly type = doubleType;

  override toString(): string {
    return formatDouble(this.value);
  }
}

/**
 * Go's `%g`: shortest digits, exponent form below 1e-4 and from 1e6 on, e.g. `2.5`, `1e+06`,
 * `+Inf`.
 */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (value !== 0 && (power < -4 || power >= 6))
    return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return formatPlain(value);
}

/** Shortest digits without exponent, as Go's verb 'f' with precision -1. */
export function formatPlain(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = "", head = "", tail = "", exponent = ""] = match;
  const digits = head + tail;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}`;
}

/** `strconv.ParseFloat(text, 64)`; undefined where that fails (out of range included). */
export function parseFloat64(written: string): number | undefined {
  // Go lets underscores separate digits.
  const text = written.replace(/(?<=\d)_(?=\d)/g, "");
  if (/^[+-]?(inf|infinity)$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(text)) return NaN;
  if (/^[+-]?0x/i.test(text)) return parseHexFloat(text);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function parseHexFloat(text: string): number | undefined {
  const match = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?\d+)$/i.exec(text);
  if (!match || !(match[2] || match[3])) return undefined;
  const [, sign, whole = "", fraction = "", exponent] = match;
  const value =
    Number.parseInt(`0${whole}${fraction}`, 16) * 2 ** (Number(exponent) - 4 * fraction.length);
  if (!Number.isFinite(value)) return undefined;
  return sign === "-" ? -value : value;
}
