// Reads typed fields of a document and collects faults, unknown fields included. Pure.
import { isObject, type JsonObject } from "homeostat/api";

/** Reads one document. Collects faults with their paths. An invalid field reads as absent. */
export class FieldReader {
  readonly faults: string[] = [];
  readonly #name: string;

  /** `name` is the name of the stage in messages. */
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
    return this.#typed(from, field, path, {
      name: "a string",
      is: (value) => typeof value === "string",
    }) as string | undefined;
  }

  /** A non-negative integer. */
  count(from: JsonObject, field: string, path: string): number | undefined {
    return this.#typed(from, field, path, {
      name: "a non-negative integer",
      is: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
    }) as number | undefined;
  }

  flag(from: JsonObject, field: string, path: string): boolean | undefined {
    return this.#typed(from, field, path, {
      name: "true or false",
      is: (value) => typeof value === "boolean",
    }) as boolean | undefined;
  }

  object(from: JsonObject, field: string, path: string): JsonObject | undefined {
    return this.#typed(from, field, path, {
      name: "an object",
      is: (value) => isObject(value as never),
    }) as JsonObject | undefined;
  }

  objects(from: JsonObject, field: string, path: string): readonly JsonObject[] | undefined {
    return this.#typed(from, field, path, {
      name: "a list of objects",
      is: (value) => Array.isArray(value) && value.every((one) => isObject(one as never)),
    }) as readonly JsonObject[] | undefined;
  }

  texts(from: JsonObject, field: string, path: string): readonly string[] | undefined {
    return this.#typed(from, field, path, {
      name: "a list of strings",
      is: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
    }) as readonly string[] | undefined;
  }

  textMap(
    from: JsonObject,
    field: string,
    path: string,
  ): Readonly<Record<string, string>> | undefined {
    const isMap = (value: unknown): boolean =>
      isObject(value as never) &&
      Object.values(value as object).every((one) => typeof one === "string");
    return this.#typed(from, field, path, { name: "a map of strings", is: isMap }) as
      | Readonly<Record<string, string>>
      | undefined;
  }

  oneOf<T extends string>(
    from: JsonObject,
    field: string,
    path: string,
    values: readonly T[],
  ): T | undefined {
    return this.#typed(from, field, path, {
      name: `one of ${values.join(", ")}`,
      is: (value) => values.includes(value as T),
    }) as T | undefined;
  }

  /** Reports every field that is not in `known`. */
  only(from: JsonObject, path: string, known: readonly string[]): void {
    for (const field of Object.keys(from))
      if (!known.includes(field))
        this.fault(`${path}${field}`, `not supported; supported are ${known.join(", ")}`);
  }

  #typed(from: JsonObject, field: string, path: string, type: FieldType): unknown {
    const value = from[field];
    if (value === undefined || value === null) return undefined;
    return type.is(value)
      ? value
      : this.fault(`${path}${field}`, `${type.name} was expected, got ${JSON.stringify(value)}`);
  }
}

/** A type by its name in messages. */
interface FieldType {
  readonly name: string;
  is(value: unknown): boolean;
}

/** Drops undefined fields. */
export function present<T extends object>(fields: {
  readonly [K in keyof T]: T[K] | undefined;
}): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
