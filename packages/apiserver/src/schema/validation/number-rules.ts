// Bounds on numbers as Go compares them: integers with the truncated bound, fractions with the
// bound itself. A value or bound that does not fit the declared type is an error.
// Upstream: k8s.io/kube-openapi/pkg/validation/validate/values.go (MaximumNativeType and friends,
// IsValueValidAgainstRange), validator.go (numberValidator); github.com/go-openapi/swag convert.go
// (IsFloat64AJSONInteger).
import { formatGoFloat } from "../../apimachinery/errors/field-error.ts";
import type { NumberLimit, SchemaNode } from "../schema-node.ts";

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;
const int32Min = -(2 ** 31);
const int32Max = 2 ** 31 - 1;
const epsilon = 1e-9;

/** One error on a number. Without `value` it has no field either, as upstream's. */
export interface NumberFault {
  readonly kind: "range" | "maximum" | "minimum" | "multipleOf";
  readonly text: string;
  readonly value: number | bigint | undefined;
}

/** A bound or factor of a schema. */
export interface LimitSource {
  readonly value: number | undefined;
  readonly exclusive?: boolean | undefined;
  /** What messages call it, e.g. `Maximum boundary`. */
  readonly prefix: string;
}

/** Prepares a limit for numbers of this type and format; undefined when the schema sets none. */
export function compileLimit(
  { value, exclusive = false, prefix }: LimitSource,
  onlyType: string,
  format: string,
): NumberLimit | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  const misfit = fitsType(number, onlyType, format) ? "" : misfitText(prefix, onlyType, format);
  return { value: number, truncated: toInt64(number), exclusive, misfit };
}

/** Go's `int64(float64)`, which gives the smallest int64 out of range on amd64. */
function toInt64(value: number): bigint {
  if (!Number.isFinite(value)) return int64Min;
  const truncated = BigInt(Math.trunc(value));
  return truncated < int64Min || truncated > int64Max ? int64Min : truncated;
}

/** Formats that messages about the range name; others have that of the type. */
const rangedFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64", "uint32", "uint64"],
  number: ["float", "float32", "double", "float64"],
};

function misfitText(prefix: string, onlyType: string, format: string): string {
  return rangedFormats[onlyType]?.includes(format)
    ? `${prefix} value must be of type ${onlyType} with format ${format}`
    : `${prefix} value must be of type ${onlyType} (default format)`;
}

/** Whether a number is within the range of the type and format. */
function fitsType(value: number | bigint, onlyType: string, format: string): boolean {
  if (onlyType === "integer") {
    if (typeof value === "number" && !Number.isInteger(value)) return false;
    if (format === "int32") return value >= int32Min && value <= int32Max;
    const written = asWritten(value);
    return written >= int64Min && written <= int64Max;
  }
  return onlyType !== "number" || format !== "float" || Number.isFinite(Math.fround(Number(value)));
}

/**
 * A double stands for the digits that Go prints: -2^63 is -9223372036854776000, which is out of
 * range.
 */
const asWritten = (value: number | bigint): bigint =>
  BigInt(typeof value === "number" && Math.abs(value) < 1e21 ? String(value) : value);

/**
 * Whether upstream takes a double for an integer, e.g. 5, 1e3, 1.0000000001; never beyond 2^53.
 */
export function isAlmostInteger(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  if (value < 0) return false;
  const below = Math.trunc(value);
  if (below === 0) return false;
  return Math.abs(value - below) / (value + below) < epsilon;
}

/** Whether a number breaks no rule of the node. */
export function acceptsNumber(value: number | bigint, node: SchemaNode): boolean {
  if (!fitsType(value, node.onlyType, node.format)) return false;
  if (node.multipleOf && (node.multipleOf.misfit || !isMultiple(value, node.multipleOf)))
    return false;
  if (node.maximum && (node.maximum.misfit || exceeds(value, node.maximum))) return false;
  return !(node.minimum && (node.minimum.misfit || fallsShort(value, node.minimum)));
}

/** All errors, in upstream's order. `path` is the field as messages name it. */
export function numberFaults(
  value: number | bigint,
  node: SchemaNode,
  path: string,
): readonly NumberFault[] {
  const faults: NumberFault[] = [];
  const misfit = (text: string) =>
    faults.push({ kind: "range", text: `${text} in ${path}`, value: undefined });
  if (!fitsType(value, node.onlyType, node.format))
    misfit(misfitText("Checked", node.onlyType, node.format));
  const { multipleOf, minimum, maximum } = node;
  if (multipleOf) {
    if (multipleOf.misfit) misfit(multipleOf.misfit);
    if (!isMultiple(value, multipleOf)) faults.push(multipleFault(value, multipleOf, path));
  }
  if (minimum) {
    if (minimum.misfit) misfit(minimum.misfit);
    if (fallsShort(value, minimum)) faults.push(limitFault("minimum", value, minimum, path));
  }
  if (maximum) {
    if (maximum.misfit) misfit(maximum.misfit);
    if (exceeds(value, maximum)) faults.push(limitFault("maximum", value, maximum, path));
  }
  return faults;
}

const comparisons = { minimum: "greater", maximum: "less" } as const;

function limitFault(
  kind: keyof typeof comparisons,
  value: number | bigint,
  limit: NumberLimit,
  path: string,
): NumberFault {
  const bound = `${limit.exclusive ? "" : "or equal to "}${limitText(value, limit)}`;
  return { kind, text: `${path} in body should be ${comparisons[kind]} than ${bound}`, value };
}

/** Integers compare with the truncated limit, unless the limit itself does not fit the type. */
const asInteger = (value: number | bigint, limit: NumberLimit): boolean =>
  !limit.misfit && (typeof value === "bigint" || Number.isSafeInteger(value));

const limitText = (value: number | bigint, limit: NumberLimit): string =>
  asInteger(value, limit) ? String(limit.truncated) : formatGoFloat(limit.value);

function exceeds(value: number | bigint, limit: NumberLimit): boolean {
  const bound = asInteger(value, limit) ? limit.truncated : limit.value;
  return limit.exclusive ? value >= bound : value > bound;
}

function fallsShort(value: number | bigint, limit: NumberLimit): boolean {
  const bound = asInteger(value, limit) ? limit.truncated : limit.value;
  return limit.exclusive ? value <= bound : value < bound;
}

function isMultiple(value: number | bigint, factor: NumberLimit): boolean {
  if (asInteger(value, factor))
    return factor.truncated > 0n && BigInt(value) % factor.truncated === 0n;
  if (factor.value <= 0) return false;
  const data = Number(value);
  return isAlmostInteger(factor.value < 1 ? (1 / factor.value) * data : data / factor.value);
}

function multipleFault(value: number | bigint, factor: NumberLimit, path: string): NumberFault {
  const whole = asInteger(value, factor);
  if (whole ? factor.truncated <= 0n : factor.value <= 0) {
    return {
      kind: "multipleOf",
      text: `factor MultipleOf declared for ${path} must be positive: ${limitText(value, factor)}`,
      value: whole ? factor.truncated : factor.value,
    };
  }
  return {
    kind: "multipleOf",
    text: `${path} in body should be a multiple of ${limitText(value, factor)}`,
    value,
  };
}
