// Upstream's field.Error: a violation at a path, with the message that clients see.
// Upstream: k8s.io/apimachinery/pkg/util/validation/field/errors.go.
import { encodeJson, type Json, type StatusCause } from "homeostat/api";
import { isPrintable } from "./is-printable.ts";

/** `reason` of a StatusCause, with the beginning of its message. */
export type FieldErrorType =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "InternalError"
  | "FieldValueTypeInvalid";

/** One violation. `body` is the message without the path, e.g. `Invalid value: 3: must be even`. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly body: string;
  /**
   * Makes the body where it shows values of internal Go types. The rules that find the breach have
   * no layout of these types; `body` is then the message without the values.
   */
  readonly printBody?: (print: PrintInternal) => string;
}

/**
 * Prints a value of one of upstream's internal Go types as encoding/json does, from its form in the
 * API, e.g. `core.Taint` as `{"Key":"a","Value":"","Effect":"NoExecute","TimeAdded":null}`. Types
 * may be `*core.Taint` and `[]core.Taint` as well.
 */
export type PrintInternal = (type: string, value: Json | undefined) => string;

/** A value in its API form, and the internal Go type that upstream has of it. */
export type InternalValue = readonly [type: string, value: Json | undefined];

/** How a bad value is printed: strings quoted as Go does, composites as JSON. */
export function formatBadValue(value: Json | undefined): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return quoteGo(value);
  return typeof value === "object" ? encodeJson(value) : formatGoNumber(value);
}

/**
 * A float64 under Go's %v, e.g. `1.5`, `1e+06`, `1e-05`: an exponent below 1e-4 and from 1e6 on, of
 * two digits at least (fmt, strconv/ftoa.go).
 */
export function formatGoFloat(value: number): string {
  if (!Number.isFinite(value)) return nonFinite(value);
  const [mantissa, exponentText] = value.toExponential().split("e") as [string, string];
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 6) return Object.is(value, -0) ? "-0" : String(value);
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/**
 * A scalar under Go's %v, numbers as the decoder made them: integers are int64, all else is
 * float64.
 */
export function formatGoNumber(value: number | bigint | boolean): string {
  return typeof value !== "number" || Number.isSafeInteger(value)
    ? String(value)
    : formatGoFloat(value);
}

/** strconv.Quote for the characters that occur in API objects. */
export function quoteGo(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`;
  const named: Readonly<Record<string, string>> = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\u0007": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\u000b": "\\v",
  };
  let out = '"';
  for (const c of text) out += named[c] ?? (isPrintable(c) ? c : escapeGo(c.codePointAt(0)!));
  return `${out}"`;
}

/** As Go prints a list of strings with `%q`, e.g. `["a" "b"]`. */
export const quoteGoList = (texts: readonly string[]): string =>
  `[${texts.map(quoteGo).join(" ")}]`;

/** A lone surrogate stands for a byte that is not UTF-8. */
function escapeGo(code: number): string {
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff
    ? `\\u${code.toString(16).padStart(4, "0")}`
    : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** `Required value` or `Required value: detail`. */
export const required = (field: string, detail: string): FieldError => ({
  type: "FieldValueRequired",
  field,
  body: withDetail("Required value", detail),
});
/** `Invalid value: "x": detail`. */
export const invalid = (field: string, value: Json | undefined, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  body: withDetail(`Invalid value: ${formatBadValue(value)}`, detail),
});
/** `Invalid value: {"Key":"a",…}: detail` for a value of an internal Go type. */
export const invalidInternal = (
  field: string,
  [type, value]: InternalValue,
  detail: string,
): FieldError => ({
  type: "FieldValueInvalid",
  field,
  body: withDetail("Invalid value", detail),
  printBody: (print) => withDetail(`Invalid value: ${print(type, value)}`, detail),
});
/** `Duplicate value: {"Key":"a",…}: detail` for a value of an internal Go type. */
export const duplicateInternal = (
  field: string,
  [type, value]: InternalValue,
  detail = "",
): FieldError => ({
  type: "FieldValueDuplicate",
  field,
  body: withDetail("Duplicate value", detail),
  printBody: (print) => withDetail(`Duplicate value: ${print(type, value)}`, detail),
});
/**
 * `Unsupported value: {"Type":"x",…}: supported values: "a"` for a value of an internal Go type.
 */
export function notSupportedInternal(
  field: string,
  [type, value]: InternalValue,
  supported: readonly string[],
): FieldError {
  const detail = supported.length ? `supported values: ${supported.map(quoteGo).join(", ")}` : "";
  return {
    type: "FieldValueNotSupported",
    field,
    body: withDetail("Unsupported value", detail),
    printBody: (print) => withDetail(`Unsupported value: ${print(type, value)}`, detail),
  };
}
/** The error with the body that the printer makes, where it needs one. */
export const printError = (error: FieldError, print: PrintInternal): FieldError =>
  error.printBody ? { type: error.type, field: error.field, body: error.printBody(print) } : error;
/** `Duplicate value: "x"`. */
export const duplicate = (field: string, value: Json | undefined): FieldError => ({
  type: "FieldValueDuplicate",
  field,
  body: `Duplicate value: ${formatBadValue(value)}`,
});
/** `Forbidden: detail`. */
export const forbidden = (field: string, detail: string): FieldError => ({
  type: "FieldValueForbidden",
  field,
  body: withDetail("Forbidden", detail),
});
/**
 * `Forbidden: detail` and the lines in which two values of an internal Go type differ; `diff` takes
 * them as they are printed.
 */
export const forbiddenChange = (
  field: string,
  detail: string,
  {
    type,
    before,
    after,
    diff,
  }: {
    readonly type: string;
    readonly before: Json;
    readonly after: Json;
    readonly diff: (before: string, after: string) => string;
  },
): FieldError => ({
  type: "FieldValueForbidden",
  field,
  body: `Forbidden: ${detail}`,
  printBody: (print) => `Forbidden: ${detail}\n${diff(print(type, before), print(type, after))}`,
});
/** `Internal error: why`, where a check itself could not be made. */
export const internalFault = (field: string, why: string): FieldError => ({
  type: "InternalError",
  field,
  body: `Internal error: ${why}`,
});
/** `Not found: "x"`. */
export const notFound = (field: string, value: Json | undefined): FieldError => ({
  type: "FieldValueNotFound",
  field,
  body: `Not found: ${formatBadValue(value)}`,
});
/** `Unsupported value: "x": supported values: "a", "b"`. */
export const notSupported = (
  field: string,
  value: Json | undefined,
  supported: readonly string[],
): FieldError => ({
  type: "FieldValueNotSupported",
  field,
  body: withDetail(
    `Unsupported value: ${formatBadValue(value)}`,
    supported.length ? `supported values: ${supported.map(quoteGo).join(", ")}` : "",
  ),
});
/** `Too long: may not be more than 63 bytes`. */
export const tooLong = (field: string, maxBytes: number): FieldError => ({
  type: "FieldValueTooLong",
  field,
  body: `Too long: ${maxBytes >= 0 ? `may not be more than ${maxBytes} byte${maxBytes === 1 ? "" : "s"}` : "value is too long"}`,
});
/** `Too many: 5: must have at most 3 items`. */
export const tooMany = (field: string, actual: number, max: number): FieldError => ({
  type: "FieldValueTooMany",
  field,
  body: `Too many${actual < 0 ? "" : `: ${actual}`}: ${max >= 0 ? `must have at most ${max} item${max === 1 ? "" : "s"}` : "has too many items"}`,
});
/** `Invalid value: "integer": detail` for a value of the wrong type. */
export const typeInvalid = (
  field: string,
  value: Json | undefined,
  detail: string,
): FieldError => ({
  type: "FieldValueTypeInvalid",
  field,
  body: withDetail(`Invalid value: ${formatBadValue(value)}`, detail),
});

/** The error as a list when the condition holds, as `if` tests it; otherwise an empty list. */
export const errorIf = (condition: unknown, error: () => FieldError): FieldError[] =>
  condition ? [error()] : [];

/**
 * What `visit` returns for every item of a list, in one list; `path` of an item is e.g.
 * `spec.rules[0]`. Empty for an absent list.
 */
export const eachItem = <T, R>(
  list: readonly T[] | null | undefined,
  path: string,
  visit: (item: T, path: string, index: number) => readonly R[],
): R[] => (list ?? []).flatMap((item, i) => visit(item, `${path}[${i}]`, i));

/** The cause that a field error becomes in a Status. */
export function toCause(error: FieldError): StatusCause {
  return { reason: error.type, message: error.body, field: error.field };
}

const withDetail = (head: string, detail: string): string => (detail ? `${head}: ${detail}` : head);
