// Maps: stored entries, or views.
// Upstream: github.com/google/cel-go v0.26 common/types/map.go.
import { dynType, mapType } from "../types/type.ts";
import { equalValues } from "./equality.ts";
import { CelObject, type CelValue, showValue } from "./value.ts";
import { Double } from "./double.ts";
import { Uint } from "./uint.ts";
import { normalInt } from "./int.ts";

const type = mapType(dynType, dynType);

/** A map of values. */
export abstract class CelMap extends CelObject {
  readonly type = type;
  abstract readonly size: number;
  /** The value of a key; undefined when the map lacks it. */
  abstract find(key: CelValue): CelValue | undefined;
  abstract keys(): CelValue[];

  equals(other: CelValue): boolean {
    if (!(other instanceof CelMap) || other.size !== this.size) return false;
    for (const key of this.keys()) {
      const theirs = other.find(key);
      if (theirs === undefined || !equalValues(this.find(key)!, theirs)) return false;
    }
    return true;
  }

  override get costSize(): number {
    return this.size;
  }

  override isZero(): boolean {
    return this.size === 0;
  }

  toString(): string {
    return `{${this.keys()
      .map((key) => `${showValue(key)}: ${showValue(this.find(key)!)}`)
      .join(", ")}}`;
  }
}

/** Equal keys have one form here: 1, 1u and 1.0 are the same key; objects go by identity. */
function hashKey(key: CelValue): CelValue {
  if (key instanceof Uint) return normalInt(key.value);
  if (key instanceof Double && Number.isInteger(key.value)) return normalInt(BigInt(key.value));
  return key;
}

/** A map of stored entries. */
export class ValueMap extends CelMap {
  readonly #entries = new Map<CelValue, readonly [CelValue, CelValue]>();

  constructor(entries: Iterable<readonly [CelValue, CelValue]>) {
    super();
    for (const entry of entries) this.#entries.set(hashKey(entry[0]), entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: CelValue): CelValue | undefined {
    return this.#entries.get(hashKey(key))?.[1];
  }

  keys(): CelValue[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }

  entries(): Iterable<readonly [CelValue, CelValue]> {
    return this.#entries.values();
  }
}
