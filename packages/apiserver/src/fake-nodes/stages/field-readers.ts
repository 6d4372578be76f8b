// Readers of the values of a parsed document. A document is described as a reader: `fields` of the
// names that it supports, each with a reader of its own. Faults are collected with their paths,
// e.g. `after.ms: a non-negative integer was expected, got "x"`. Pure.
import { isObject, type Json, type JsonObject } from "homeostat/api";

/**
 * Reads the value at the path `at`. Undefined if it is absent or invalid; only the latter is a
 * fault.
 */
export type Reader<T> = (value: Json | undefined, at: string, faults: string[]) => T | undefined;

const isText = (value: Json): boolean => typeof value === "string";

export const text = typed<string>("a string", isText);
export const count = typed<number>(
  "a non-negative integer",
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
);
export const flag = typed<boolean>("true or false", (value) => typeof value === "boolean");
export const object = typed<JsonObject>("an object", isObject);
export const texts = typed<readonly string[]>(
  "a list of strings",
  (value) => Array.isArray(value) && value.every(isText),
);
export const textMap = typed<Readonly<Record<string, string>>>(
  "a map of strings",
  (value) => isObject(value) && Object.values(value).every(isText),
);
const objects = typed<readonly JsonObject[]>(
  "a list of objects",
  (value) => Array.isArray(value) && value.every(isObject),
);

function typed<T extends Json | Readonly<Json>>(
  name: string,
  is: (value: Json) => boolean,
): Reader<T> {
  return (value, at, faults) => {
    if (value === undefined || value === null) return undefined;
    if (is(value)) return value as T;
    faults.push(`${at}: ${name} was expected, got ${JSON.stringify(value)}`);
    return undefined;
  };
}

/** Reads one of a few words. */
export const oneOf = <T extends string>(values: readonly T[]): Reader<T> =>
  typed<T>(`one of ${values.join(", ")}`, (value) => values.includes(value as T));

/** Reads a list of objects, each with `item`. */
export const listOf =
  <T>(item: Reader<T>): Reader<readonly T[]> =>
  (value, at, faults) =>
    objects(value, at, faults)?.flatMap((one, i) => item(one, `${at}[${i}]`, faults) ?? []);

/** A field that has another name in the document. */
interface NamedField<T> {
  readonly name: string;
  readonly read: Reader<T>;
}

export const named = <T>(name: string, read: Reader<T>): NamedField<T> => ({ name, read });

/** The readers of the fields of `T`, in the order in which messages list them. */
type Fields<T> = { readonly [F in keyof T]-?: Reader<T[F]> | NamedField<T[F]> };

/** Reads an object. Its other fields are faults, unless it is `open`. */
export function fields<T extends object>(
  members: Fields<T>,
  { others = "faults" }: { readonly others?: "faults" | "open" } = {},
): Reader<T> {
  const rows = Object.entries<Reader<unknown> | NamedField<unknown>>(members).map(
    ([field, member]) =>
      typeof member === "function" ? { field, name: field, read: member } : { field, ...member },
  );
  const known = rows.map(({ name }) => name);
  return (value, at, faults) => {
    const found = object(value, at, faults);
    if (!found) return undefined;
    const pathOf = (name: string): string => (at ? `${at}.${name}` : name);
    for (const name of others === "faults" ? Object.keys(found) : [])
      if (!known.includes(name))
        faults.push(`${pathOf(name)}: not supported; supported are ${known.join(", ")}`);
    const read = rows.map((row) => [
      row.field,
      row.read(found[row.name], pathOf(row.name), faults),
    ]);
    return Object.fromEntries(read.filter(([, one]) => one !== undefined)) as T;
  };
}

/** Reads and converts. */
export const mapped =
  <A, B>(read: Reader<A>, convert: (value: A) => B | undefined): Reader<B> =>
  (value, at, faults) => {
    const found = read(value, at, faults);
    return found === undefined ? undefined : convert(found);
  };

/** An empty text reads as absent. */
export const nonEmpty = mapped(text, (value) => value || undefined);

/** False reads as absent. */
export const whenTrue = mapped(flag, (value) => value || undefined);

/** Reads `fallback` where the document has nothing. */
export const withDefault =
  <T>(read: Reader<T>, fallback: T): Reader<T> =>
  (value, at, faults) =>
    read(value, at, faults) ?? fallback;

/** An absent object reads as an empty one, whose required fields are faults. */
export const orEmpty =
  <T extends object>(read: Reader<T>): Reader<T> =>
  (value, at, faults) =>
    read(value ?? {}, at, faults);

/** An absent value is a fault as well. */
export const required =
  <T>(read: Reader<T>, message: string): Reader<T> =>
  (value, at, faults) => {
    const found = read(value, at, faults);
    if (found === undefined) faults.push(`${at}: ${message}`);
    return found;
  };
