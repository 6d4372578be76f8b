// Lists, sets and maps with a most of entries, as the rules on devices have them: what is too long
// is not looked into. Knows nothing of devices.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateSlice,
// validateSet, validateMap).
import { compareBytewise, type Json, type JsonObject } from "homeostat/api";
import { duplicate, type FieldError, tooMany } from "../../apimachinery/errors/field-error.ts";

/** The rule for one entry at its path. */
export type EntryRule<T> = (entry: T, path: string) => readonly FieldError[];

/** A list: its length, then every entry. A negative `most` stands for no limit. */
export function validateList<T>(
  entries: readonly T[],
  most: number,
  rule: EntryRule<T>,
  path: string,
): readonly FieldError[] {
  if (most >= 0 && entries.length > most) return [tooMany(path, entries.length, most)];
  return entries.flatMap((entry, i) => rule(entry, `${path}[${i}]`));
}

/**
 * A list whose entries differ in their keys; what is said of one that does not is `shown`, the key
 * itself where absent.
 */
export function validateSet<T>(
  entries: readonly T[],
  most: number,
  rule: EntryRule<T>,
  keyOf: (entry: T) => string,
  path: string,
  shown: (entry: T, path: string) => FieldError = (entry, at) => duplicate(at, keyOf(entry)),
): readonly FieldError[] {
  if (most >= 0 && entries.length > most) return [tooMany(path, entries.length, most)];
  const seen = new Set<string>();
  const twice = entries.flatMap((entry, i) => {
    const key = keyOf(entry);
    if (seen.has(key)) return [shown(entry, `${path}[${i}]`)];
    seen.add(key);
    return [];
  });
  return [...validateList(entries, -1, rule, path), ...twice];
}

/**
 * Rules of a map: names are complained about at the path of the map, and shortened where they are
 * part of a path.
 */
export interface MapRules {
  readonly most: number;
  readonly shownNameBytes: number;
  readonly name: EntryRule<string>;
  readonly value: EntryRule<Json>;
}

/** A map, in the order of its names (upstream's order is chance). */
export function validateMap(map: JsonObject, rules: MapRules, path: string): readonly FieldError[] {
  const names = Object.keys(map).sort(compareBytewise);
  if (rules.most >= 0 && names.length > rules.most)
    return [tooMany(path, names.length, rules.most)];
  return names.flatMap((name) => [
    ...rules.name(name, path),
    ...rules.value(map[name]!, `${path}[${shorten(name, rules.shownNameBytes)}]`),
  ]);
}

function shorten(name: string, most: number): string {
  if (name.length <= most) return name;
  const remaining = most - 3;
  return `${name.slice(0, Math.floor((remaining + 1) / 2))}...${name.slice(name.length - Math.floor(remaining / 2))}`;
}
