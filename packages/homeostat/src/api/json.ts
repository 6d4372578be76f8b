// JSON values of the API machinery. An integer that a double cannot represent exactly is a bigint
// (int64); every other number is a number. Objects may have any key, "__proto__" included, as an
// own property.
// Upstream: sigs.k8s.io/json (int64 first, then float64).

/** A JSON value. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

/** A JSON object; mutable unless its type says otherwise. */
export interface JsonObject {
  [key: string]: Json;
}

/** True for objects that are neither null nor an array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Nesting depth up to which recursion is used, because it is fastest; deeper levels are handled
 * iteratively.
 */
const recursiveLevels = 200;

/** Nesting depth of what a server reads; see encoding/json, maxNestingDepth. */
export const deepestJson = 10_000;

/**
 * A deep copy, much cheaper than structuredClone.
 * @throws RangeError for a value that is deeper than `deepestJson`, such as one that contains
 * itself
 */
export const cloneJson = <T extends Json>(value: T): T => clone(value, recursiveLevels) as T;

function clone(value: Json, levels: number): Json {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return cloneDeep(value);
  if (Array.isArray(value)) return value.map((item) => clone(item, levels - 1));
  const out: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(out, key, clone(value[key]!, levels - 1));
  return out;
}

function cloneDeep(root: JsonObject | Json[]): Json {
  const emptyLike = (value: JsonObject | Json[]): JsonObject | Json[] =>
    Array.isArray(value) ? [] : {};
  const copy = emptyLike(root);
  const open: [from: JsonObject | Json[], to: JsonObject | Json[], depth: number][] = [
    [root, copy, recursiveLevels],
  ];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [from, to, depth] = pair;
    if (depth === deepestJson) throw new RangeError(`deeper than ${deepestJson} levels`);
    for (const key of Object.keys(from)) {
      const member = (from as JsonObject)[key]!;
      const inner = typeof member === "object" && member !== null ? emptyLike(member) : member;
      setOwn(to as JsonObject, key, inner);
      if (inner !== member) open.push([member as JsonObject, inner as JsonObject, depth + 1]);
    }
  }
  return copy;
}

/** Sets an own property, also for the key "__proto__", where assignment would set the prototype. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  else object[key] = value;
}

/** Deep equality of JSON values; key order does not matter, 1 and 1n are equal. */
export const equalJson = (a: Json | undefined, b: Json | undefined): boolean =>
  equal(a, b, recursiveLevels, undefined);

/** Pairs still to compare. */
type Deferred = (readonly [Json | undefined, Json | undefined])[];

function equal(
  a: Json | undefined,
  b: Json | undefined,
  levels: number,
  later: Deferred | undefined,
): boolean {
  if (a === b) return true;
  if (typeof a === "bigint" || typeof b === "bigint")
    return (typeof a === "number" || typeof b === "number") && a == b;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (levels === 0) return later ? later.push([a, b]) > 0 : equalDeep(a, b);
  if (Array.isArray(a))
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, i) => equal(item, b[i], levels - 1, later))
    );
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && equal(a[key], (b as JsonObject)[key], levels - 1, later),
    )
  );
}

/** One level at a time. */
function equalDeep(a: Json, b: Json): boolean {
  const open: Deferred = [[a, b]];
  for (let pair = open.pop(); pair; pair = open.pop())
    if (!equal(pair[0], pair[1], 1, open)) return false;
  return true;
}
