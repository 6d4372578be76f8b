// Strings: charAt, indexOf, split, replace, substring, trim, join, quote and the like. Positions
// count code points.
// Upstream: github.com/google/cel-go v0.26 ext/strings.go (version 2).
import { replacePrice, splitPrice, joinPrice, quotePrice, formatPrice } from "./string-prices.ts";
import { itemPass, convertedReceiver } from "../cost/prices.ts";
import { fixedPrice, type Price } from "../cost/price.ts";
import {
  type Implementation,
  member,
  type Overload,
  overload,
  pricedFunction,
} from "../functions/declarations.ts";
import { shortEscapes } from "../go/quote.ts";
import type { Library } from "../environment/environment.ts";
import { dynType, intType, listType, stringType, type Type } from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import { type CelList, ValueList } from "../values/list.ts";
import { codePointLength, isPlain } from "../values/text.ts";
import { type CelInt, type CelValue, showValue } from "../values/value.ts";
import { checkFormatCalls } from "./format-check.ts";
import { formatText } from "./format-text.ts";

const outOfRange = (index: CelInt): CelError => new CelError(`index out of range: ${index}`);
const points = (text: string): string | readonly string[] =>
  isPlain(text) ? text : Array.from(text);
const slice = (text: string, from: number, to?: number): string => {
  const all = points(text);
  return typeof all === "string" ? all.slice(from, to) : all.slice(from, to).join("");
};

function within(index: CelValue, length: number): number {
  if ((index as CelInt) < 0 || (index as CelInt) > length) throw outOfRange(index as CelInt);
  return Number(index);
}

const charAt: Implementation = (text, index) => {
  const at = within(index!, codePointLength(text as string));
  return slice(text as string, at, at + 1);
};

const matchesAt = (text: ArrayLike<string>, part: ArrayLike<string>, at: number): boolean => {
  for (let j = 0; j < part.length; j++) if (text[at + j] !== part[j]) return false;
  return true;
};

const indexOf: Implementation = (text, part, offset = 0) => {
  if (part === "") return offset;
  if ((offset as CelInt) < 0) throw outOfRange(offset as CelInt);
  const all = points(text as string);
  const sought = points(part as string);
  for (let i = Number(offset); i <= all.length - sought.length; i++)
    if (matchesAt(all, sought, i)) return i;
  return -1;
};

const lastIndexOf: Implementation = (text, part, offset) => {
  const all = points(text as string);
  if (part === "") return offset ?? all.length;
  const sought = points(part as string);
  if (offset === undefined && Buffer.byteLength(text as string) < Buffer.byteLength(part as string))
    return -1;
  const from = offset ?? all.length - 1;
  if ((from as CelInt) < 0) throw outOfRange(from as CelInt);
  if ((from as CelInt) >= all.length) return -1;
  for (let i = Math.min(Number(from), all.length - sought.length); i >= 0; i--)
    if (matchesAt(all, sought, i)) return i;
  return -1;
};

const substring: Implementation = (text, start, end) => {
  const length = codePointLength(text as string);
  if (end !== undefined && (start as CelInt) > (end as CelInt))
    throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  return slice(
    text as string,
    within(start!, length),
    end === undefined ? undefined : within(end, length),
  );
};

const replace: Implementation = (text, old, replacement, limit = -1) => {
  const count = Number(limit);
  if (count < 0) return (text as string).replaceAll(old as string, () => replacement as string);
  const pieces = splitText(text as string, old as string, old === "" ? count : count + 1);
  if (old === "" && count > 0) return replaceGaps(text as string, replacement as string, count);
  return pieces.join(replacement as string);
};

/** An empty text occurs before every character and at the end. */
function replaceGaps(text: string, replacement: string, count: number): string {
  const all = Array.from(text);
  let out = "";
  for (let i = 0; i <= all.length; i++) out += (i < count ? replacement : "") + (all[i] ?? "");
  return out;
}

/** Go's strings.SplitN: at most `limit` pieces, all when negative, none when zero. */
function splitText(text: string, separator: string, limit: number): string[] {
  if (limit === 0) return [];
  const pieces = separator === "" ? Array.from(text) : text.split(separator);
  return limit < 0 || pieces.length <= limit
    ? pieces
    : [...pieces.slice(0, limit - 1), pieces.slice(limit - 1).join(separator)];
}

const split: Implementation = (text, separator, limit = -1) =>
  new ValueList(splitText(text as string, separator as string, Number(limit)));

const join: Implementation = (list, separator = "") =>
  Array.from(list as CelList, (item) => {
    if (typeof item !== "string") throw new CelError(`join: invalid input: ${showValue(item)}`);
    return item;
  }).join(separator as string);

const goSpace =
  /^[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g;
const trim: Implementation = (text) => (text as string).replace(goSpace, "");

const quote: Implementation = (text) =>
  `"${(text as string).replace(/[\u0007\b\f\n\r\t\v\\"]/g, (c) => shortEscapes[c]!)}"`;

const format: Implementation = (text, args) => formatText(text as string, args as CelList);

const lower: Implementation = (text) =>
  (text as string).replace(/[A-Z]+/g, (part) => part.toLowerCase());
const upper: Implementation = (text) =>
  (text as string).replace(/[a-z]+/g, (part) => part.toUpperCase());

/**
 * Two members: without and with the last argument, whose type ends the id, e.g.
 * `string_split_string_int`.
 */
const optionalLast = (
  id: string,
  args: readonly Type[],
  result: Type,
  implementation: Implementation,
): readonly Overload[] => [
  member(id, args.slice(0, -1), result, implementation),
  member(`${id}_${args.at(-1)!.name}`, args, result, implementation),
];

const s = stringType;
const i = intType;
const texts = listType(stringType);

/** By name: the price, and the overloads that have it. */
const functions: Readonly<Record<string, readonly [Price, ...Overload[]]>> = {
  charAt: [fixedPrice(1), member("string_char_at_int", [s, i], s, charAt)],
  indexOf: [itemPass, ...optionalLast("string_index_of_string", [s, s, i], i, indexOf)],
  lastIndexOf: [
    itemPass,
    ...optionalLast("string_last_index_of_string", [s, s, i], i, lastIndexOf),
  ],
  lowerAscii: [convertedReceiver, member("string_lower_ascii", [s], s, lower)],
  upperAscii: [convertedReceiver, member("string_upper_ascii", [s], s, upper)],
  replace: [
    replacePrice,
    ...optionalLast("string_replace_string_string", [s, s, s, i], s, replace),
  ],
  split: [splitPrice, ...optionalLast("string_split_string", [s, s, i], texts, split)],
  substring: [convertedReceiver, ...optionalLast("string_substring_int", [s, i, i], s, substring)],
  trim: [convertedReceiver, member("string_trim", [s], s, trim)],
  join: [joinPrice, ...optionalLast("list_join", [texts, s], s, join)],
  "strings.quote": [quotePrice, overload("strings_quote", [s], s, quote)],
  format: [formatPrice, member("string_format", [s, listType(dynType)], s, format)],
};

/** Strings, version 2. */
export const stringLibrary: Library = {
  name: "strings",
  functions: Object.entries(functions).map(([name, [price, ...overloads]]) =>
    pricedFunction(price, { name, overloads }),
  ),
  checks: [checkFormatCalls],
};
