// `'%s is %.1f'.format([a, b])`. Numbers with a fraction are printed as English texts print them:
// grouped, and with a real power of ten.
// Upstream: github.com/google/cel-go v0.26 ext/formatting.go (locale en_US);
// golang.org/x/text/message for %f and %e.
import { quoteGoText } from "../go/quote.ts";
import { CelError } from "../values/cel-error.ts";
import { Double, formatDouble } from "../values/double.ts";
import { Duration } from "../values/duration.ts";
import { compareStrings } from "../values/equality.ts";
import { isInt } from "../values/int.ts";
import { CelList } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { Timestamp } from "../values/timestamp.ts";
import { TypeValue } from "../values/type-value.ts";
import { Uint } from "../values/uint.ts";
import { type CelValue, typeOfValue } from "../values/value.ts";
import { clauseMismatch, type FormatClause, walkFormat } from "./format-clause.ts";
import { fixedDigits } from "./fixed-digits.ts";

/** Formats a text with its arguments. Throws a CelError. */
export function formatText(text: string, args: CelList): string {
  const fail = (message: string): never => {
    throw new CelError(message);
  };
  return walkFormat(text, args.size, (clause, index) => formatClause(clause, args.at(index)), fail);
}

function formatClause(clause: FormatClause, value: CelValue): string {
  const rendered = renderers[clause.verb](value, clause.precision);
  if (rendered === undefined)
    throw new CelError(clauseMismatch(clause.verb, typeOfValue(value).name));
  return rendered;
}

type Render = (value: CelValue, precision: number | undefined) => string | undefined;

const defaultPrecision = 6;
function whole(value: CelValue): bigint | undefined {
  if (isInt(value)) return BigInt(value);
  return value instanceof Uint ? value.value : undefined;
}

const inBase =
  (base: number): Render =>
  (value) =>
    whole(value)?.toString(base);

/** Doubles, and the names of those that have no digits. */
function fraction(value: CelValue): number | undefined {
  if (value instanceof Double) return value.value;
  return typeof value === "string" ? namedNumbers.get(value) : undefined;
}

const namedNumbers: ReadonlyMap<string, number> = new Map([
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/** NaN and the infinities. */
function special(number: number): string {
  if (Number.isNaN(number)) return "NaN";
  return number > 0 ? "∞" : "-∞";
}

const fixed: Render = (value, precision = defaultPrecision) => {
  const number = fraction(value);
  if (number === undefined) return undefined;
  if (!Number.isFinite(number)) return special(number);
  const [digits = "", rest] = fixedDigits(number, precision).split(".");
  return digits.replace(/\B(?=(?:\d{3})+$)/g, ",") + (rest === undefined ? "" : `.${rest}`);
};

const superscripts: Readonly<Record<string, string>> = {
  "-": "⁻",
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
};

/** The precision is taken for a width, and six places are always shown. */
const scientific: Render = (value, width = defaultPrecision) => {
  const number = fraction(value);
  if (number === undefined) return undefined;
  if (!Number.isFinite(number)) return special(number).padStart(width);
  const [mantissa = "", exponent = "0"] = number.toExponential(defaultPrecision).split("e");
  const power = Number(exponent);
  const shown = `${power < 0 ? "-" : ""}${String(Math.abs(power)).padStart(2, "0")}`;
  return `${mantissa}×10${Array.from(shown, (c) => superscripts[c]).join("")}`.padStart(width);
};

const hex: Render = (value) => {
  if (typeof value === "string") return Buffer.from(value).toString("hex");
  return value instanceof Uint8Array
    ? Buffer.from(value).toString("hex")
    : whole(value)?.toString(16);
};

/** A value on its own: strings bare, parts of lists and maps quoted. */
const plain: Render = (value) => {
  if (typeof value === "string") return value;
  if (value === null) return "null";
  if (
    typeof value === "boolean" ||
    isInt(value) ||
    value instanceof Uint ||
    value instanceof TypeValue
  )
    return String(value);
  if (value instanceof Double) return formatDouble(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Timestamp || value instanceof Duration) return value.format();
  if (value instanceof CelList) return `[${Array.from(value, part).join(", ")}]`;
  return value instanceof CelMap ? formatMap(value) : undefined;
};

function formatMap(map: CelMap): string {
  const entries = map.keys().map((key) => [part(key), part(map.find(key)!)] as const);
  entries.sort(([a], [b]) => compareStrings(a, b));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

function part(value: CelValue): string {
  if (typeof value === "string") return quoteGoText(value);
  if (value instanceof Uint8Array) return `b${quoteGoText(Buffer.from(value).toString())}`;
  if (value instanceof Timestamp) return `timestamp(${quoteGoText(value.format())})`;
  if (value instanceof Duration) return `duration(${quoteGoText(value.format())})`;
  if (value instanceof Double)
    return Number.isFinite(value.value)
      ? fixedDigits(value.value, defaultPrecision)
      : quoteGoText(formatDouble(value.value));
  const rendered = plain(value, undefined);
  if (rendered === undefined)
    throw new CelError(
      `error during formatting: no formatting function for ${typeOfValue(value).name}`,
    );
  return rendered;
}

const renderers: Readonly<Record<FormatClause["verb"], Render>> = {
  s: plain,
  d: inBase(10),
  f: fixed,
  e: scientific,
  b: (value, precision) =>
    typeof value === "boolean" ? String(Number(value)) : inBase(2)(value, precision),
  x: hex,
  X: (value, precision) => hex(value, precision)?.toUpperCase(),
  o: inBase(8),
};
