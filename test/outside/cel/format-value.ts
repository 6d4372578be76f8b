// Formats a CEL value with its type, as the Go recorder beside this file does: `1`, `1u`, `1e+00`,
// `"a"`, `b00ff`, `duration(5)`, `{1: "a"}`, `optional(1)`, `type(int)`.
import {
  CelList,
  CelMap,
  type CelValue,
  Double,
  Duration,
  Optional,
  Timestamp,
  typeOfValue,
  TypeValue,
  Uint,
} from "@homeostat/cel";

export function formatValue(value: CelValue): string {
  if (
    value === null ||
    typeof value === "boolean" ||
    typeof value === "number" ||
    typeof value === "bigint"
  )
    return String(value);
  if (typeof value === "string") return quote(value);
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString("hex")}`;
  if (value instanceof Uint) return `${value.value}u`;
  if (value instanceof Double) return formatDouble(value.value);
  if (value instanceof Duration) return `duration(${value.nanoseconds})`;
  if (value instanceof Timestamp) return `timestamp(${formatInstant(value)})`;
  if (value instanceof Optional)
    return value.held === undefined ? "none" : `optional(${formatValue(value.held)})`;
  if (value instanceof TypeValue) return `type(${value.value.name})`;
  if (value instanceof CelList) return `[${Array.from(value, formatValue).join(", ")}]`;
  if (value instanceof CelMap) return `{${formatEntries(value).join(", ")}}`;
  return `object(${typeOfValue(value).name})`;
}

const formatEntries = (map: CelMap): readonly string[] =>
  Array.from(map.keys(), (key) => `${formatValue(key)}: ${formatValue(map.find(key)!)}`).sort(
    (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)),
  );

/** Go escapes what HTML would take for its own. */
const quote = (text: string): string =>
  JSON.stringify(text.toWellFormed()).replaceAll(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Go writes at least two digits of an exponent. */
function formatDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const text = Object.is(value, -0) ? "-0e+0" : value.toExponential();
  return text.replace(/e([+-])(\d)$/, "e$10$2");
}

function formatInstant({ seconds, nanos }: Timestamp): string {
  const fraction = nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;
  return new Date(seconds * 1000).toISOString().replace(/\.000Z$/, `${fraction}Z`);
}
