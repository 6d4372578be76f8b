// Reads fields of a document one by one, collects what is wrong with them, and then what nobody has
// asked for. Pure.
import { isObject, type JsonObject } from "homeostat/api";

/** Reads one document. Faults are collected, with paths; what is faulty reads as absent. */
export class FieldReader {
  readonly faults: string[] = [];
  readonly #name: string;

  /** `name` as it stands in messages. */
  constructor(name: string) {
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }

  fault(path: string, message: string): undefined {
    this.faults.push(`${path}: ${message}`);
  }

  text(from: JsonObject, field: string, path: string): string | undefined {
    return this.#typed(from, field, path, "a text", (value) => typeof value === "string") as
      | string
      | undefined;
  }

  /** A whole number that is not negative. */
  count(from: JsonObject, field: string, path: string): number | undefined {
    return this.#typed(
      from,
      field,
      path,
      "a whole number, not negative,",
      (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    ) as number | undefined;
  }

  flag(from: JsonObject, field: string, path: string): boolean | undefined {
    return this.#typed(
      from,
      field,
      path,
      "true or false",
      (value) => typeof value === "boolean",
    ) as boolean | undefined;
  }

  object(from: JsonObject, field: string, path: string): JsonObject | undefined {
    return this.#typed(from, field, path, "an object", (value) => isObject(value as never)) as
      | JsonObject
      | undefined;
  }

  objects(from: JsonObject, field: string, path: string): readonly JsonObject[] | undefined {
    return this.#typed(
      from,
      field,
      path,
      "a list of objects",
      (value) => Array.isArray(value) && value.every((one) => isObject(one as never)),
    ) as readonly JsonObject[] | undefined;
  }

  texts(from: JsonObject, field: string, path: string): readonly string[] | undefined {
    return this.#typed(
      from,
      field,
      path,
      "a list of texts",
      (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
    ) as readonly string[] | undefined;
  }

  textMap(
    from: JsonObject,
    field: string,
    path: string,
  ): Readonly<Record<string, string>> | undefined {
    const isMap = (value: unknown): boolean =>
      isObject(value as never) &&
      Object.values(value as object).every((one) => typeof one === "string");
    return this.#typed(from, field, path, "texts by name", isMap) as
      | Readonly<Record<string, string>>
      | undefined;
  }

  oneOf<T extends string>(
    from: JsonObject,
    field: string,
    path: string,
    words: readonly T[],
  ): T | undefined {
    return this.#typed(from, field, path, `one of ${words.join(", ")}`, (value) =>
      words.includes(value as T),
    ) as T | undefined;
  }

  /** Faults every field that is not among the known ones. */
  only(from: JsonObject, path: string, known: readonly string[]): void {
    for (const field of Object.keys(from))
      if (!known.includes(field))
        this.fault(`${path}${field}`, `not supported; supported are ${known.join(", ")}`);
  }

  #typed(
    from: JsonObject,
    field: string,
    path: string,
    expected: string,
    is: (value: unknown) => boolean,
  ): unknown {
    const value = from[field];
    if (value === undefined || value === null) return undefined;
    return is(value)
      ? value
      : this.fault(`${path}${field}`, `${expected} was expected, got ${JSON.stringify(value)}`);
  }
}

/** Leaves out what is not there. */
export function present<T extends object>(fields: {
  readonly [K in keyof T]: T[K] | undefined;
}): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
