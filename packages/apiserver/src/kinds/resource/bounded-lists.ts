// Validates lists, sets and maps with a maximum of entries; the entries of one that is too long are
// not validated. Knows nothing of devices.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateSlice,
// validateSet, validateMap).
import { compareBytewise } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, type FieldError } from "../../apimachinery/errors/field-error.ts";

/** Validates one entry at its path. */
export type ValidateEntry<T> = (entry: T, path: string) => readonly FieldError[];

/** A list: its length, then every entry. A negative `max` stands for no limit. */
export function validateList<T>(
  entries: readonly T[],
  max: number,
  validate: ValidateEntry<T>,
  path: string,
): readonly FieldError[] {
  if (max >= 0 && entries.length > max) return [fieldError.tooMany(path, entries.length, max)];
  return eachItem(entries, path, (entry, at) => validate(entry, at));
}

/** What makes a list a set. */
export interface SetOptions<T> {
  /** Negative for no limit. */
  readonly max: number;
  readonly validate: ValidateEntry<T>;
  readonly keyOf: (entry: T) => string;
  /** The error of a repeated entry; by default it shows the key. */
  readonly repeated?: (entry: T, path: string) => FieldError;
}

/** A list whose entries have different keys. */
export function validateSet<T>(
  entries: readonly T[],
  path: string,
  {
    max,
    validate,
    keyOf,
    repeated = (entry, at) => fieldError.duplicate(at, keyOf(entry)),
  }: SetOptions<T>,
): readonly FieldError[] {
  if (max >= 0 && entries.length > max) return [fieldError.tooMany(path, entries.length, max)];
  const seen = new Set<string>();
  const duplicates = eachItem(entries, path, (entry, at) => {
    const key = keyOf(entry);
    if (seen.has(key)) return [repeated(entry, at)];
    seen.add(key);
    return [];
  });
  return [...validateList(entries, -1, validate, path), ...duplicates];
}

/**
 * What a map may hold. Errors of a name have the path of the map; a name in the path of a value is
 * shortened.
 */
export interface MapOptions<T> {
  /** Negative for no limit. */
  readonly max: number;
  readonly shownNameBytes: number;
  readonly validateName: ValidateEntry<string>;
  readonly validateValue: ValidateEntry<T>;
}

/** A map, in the order of its names; upstream's order is random. */
export function validateMap<T>(
  map: Readonly<Record<string, T>>,
  { max, shownNameBytes, validateName, validateValue }: MapOptions<T>,
  path: string,
): readonly FieldError[] {
  const names = Object.keys(map).sort(compareBytewise);
  if (max >= 0 && names.length > max) return [fieldError.tooMany(path, names.length, max)];
  return names.flatMap((name) => [
    ...validateName(name, path),
    ...validateValue(map[name]!, `${path}[${shorten(name, shownNameBytes)}]`),
  ]);
}

function shorten(name: string, max: number): string {
  if (name.length <= max) return name;
  const remaining = max - 3;
  return `${name.slice(0, Math.floor((remaining + 1) / 2))}...${name.slice(name.length - Math.floor(remaining / 2))}`;
}
