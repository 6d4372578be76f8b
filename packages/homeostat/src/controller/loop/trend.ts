// Tells progress from values that merely differ each time: in each run a field that has only grown,
// or only shrunk, changes. Random values and times do not. Pure.
import { isObject, type Json } from "../../api/json.ts";

/** The fields of the writes in a row of runs. */
export type Trend = ReadonlyMap<string, Measured>;

interface Measured {
  readonly size: number;
  /** Undefined until it changes. */
  readonly moves: "up" | "down" | "both" | undefined;
}

/** Fields that are followed. */
const fieldsKept = 100;
/** Larger numbers are times. */
const largestCount = 1e9;

/** Adds what a run has written. `isSteady` when a field has moved on in its direction. */
export function followTrend(
  before: Trend | undefined,
  written: ReadonlyMap<string, Json>,
): { readonly trend: Trend; readonly isSteady: boolean } {
  const trend = new Map(before);
  let isSteady = before === undefined;
  for (const [path, size] of sizesOf(written)) {
    const last = trend.get(path);
    if (!last) {
      if (trend.size < fieldsKept) trend.set(path, { size, moves: undefined });
    } else if (last.size !== size) {
      const now = size > last.size ? "up" : "down";
      const moves = (last.moves ?? now) === now ? now : "both";
      trend.set(path, { size, moves });
      isSteady ||= moves !== "both";
    }
  }
  return { trend, isSteady };
}

function sizesOf(written: ReadonlyMap<string, Json>): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  const visit = (path: string, value: Json): void => {
    const size = sizeOf(value);
    if (size !== undefined) sizes.set(path, size);
    if (isObject(value))
      for (const [name, child] of Object.entries(value)) visit(`${path}.${name}`, child);
  };
  for (const [object, value] of written) visit(object, value);
  return sizes;
}

/** A count, or the length of a text or list. Undefined for what has no size, or is a time. */
function sizeOf(value: Json): number | undefined {
  if (Array.isArray(value)) return value.length;
  if (isObject(value)) return Object.keys(value).length;
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const count = value === "" ? Number.NaN : Number(value);
  if (Number.isNaN(count)) return String(value).length;
  return Math.abs(count) < largestCount ? count : undefined;
}
