// JSON without a schema as CEL values, e.g. admission's `object`. Members are converted when an
// expression reads them.
// Upstream: github.com/google/cel-go v0.26 common/types/provider.go (NativeToValue over
// map[string]any and []any).
import { Double } from "./double.ts";
import { CelList } from "./list.ts";
import { CelMap } from "./map.ts";
import type { CelValue } from "./value.ts";

/** JSON; integers beyond 2^53 are bigints. The same type as that of `homeostat/api`. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
/** An object of JSON. */
export interface JsonObject {
  [key: string]: Json;
}

/** A JSON value. Integers that int64 holds are ints, all other numbers doubles. */
export function adaptJson(value: Json): CelValue {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : new Double(value);
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? new JsonList(value) : new JsonMap(value);
}

/** A JSON object. The caller must not mutate it while expressions run. */
export class JsonMap extends CelMap {
  readonly value: JsonObject;

  constructor(value: JsonObject) {
    super();
    this.value = value;
  }

  get size(): number {
    return Object.keys(this.value).length;
  }

  find(key: CelValue): CelValue | undefined {
    return typeof key === "string" && Object.hasOwn(this.value, key)
      ? adaptJson(this.value[key]!)
      : undefined;
  }

  keys(): CelValue[] {
    return Object.keys(this.value);
  }
}

/** A JSON array. The caller must not mutate it while expressions run. */
export class JsonList extends CelList {
  readonly value: readonly Json[];

  constructor(value: readonly Json[]) {
    super();
    this.value = value;
  }

  get size(): number {
    return this.value.length;
  }

  at(index: number): CelValue {
    return adaptJson(this.value[index]!);
  }
}
