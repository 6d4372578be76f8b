// The JSON values that the API machinery works on. An integer that a double cannot hold exactly is a bigint (int64);
// every other number is a number. Objects may carry any key, "__proto__" included, as an own property.
// Upstream: sigs.k8s.io/json (int64 first, then float64).

/** A JSON value. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

/** A JSON object; the holder may mutate it unless its type says otherwise. */
export interface JsonObject {
  [key: string]: Json;
}

/** True for objects that are neither null nor an array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A deep copy. Far cheaper than structuredClone, which these trees do not need. */
export function cloneJson<T extends Json>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cloneJson(item)) as T;
  const out: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(out, key, cloneJson((value as JsonObject)[key]!));
  return out as T;
}

/** Sets an own property even where the key is "__proto__", which plain assignment would turn into a prototype. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key === "__proto__") Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/** Deep equality of JSON values; key order does not matter, 1 and 1n are equal. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a === "bigint" || typeof b === "bigint") return (typeof a === "number" || typeof b === "number") && a == b;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]));
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], (b as JsonObject)[key]));
}
