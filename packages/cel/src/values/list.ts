// Lists: stored values, or views that convert item by item.
// Upstream: github.com/google/cel-go v0.26 common/types/list.go.
import { dynType, listType } from "../types/type.ts";
import { CelError } from "./cel-error.ts";
import { equalValues } from "./equality.ts";
import { isInt } from "./int.ts";
import { Double } from "./double.ts";
import { CelObject, type CelValue, showValue, typeOfValue } from "./value.ts";
import { Uint } from "./uint.ts";

const type = listType(dynType);

/** A list of values. */
export abstract class CelList extends CelObject {
  readonly type = type;
  abstract readonly size: number;
  /** The item at an index within bounds. */
  abstract at(index: number): CelValue;

  *[Symbol.iterator](): Generator<CelValue> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof CelList) || other.size !== this.size) return false;
    for (let i = 0; i < this.size; i++) if (!equalValues(this.at(i), other.at(i))) return false;
    return true;
  }

  contains(value: CelValue): boolean {
    for (let i = 0; i < this.size; i++) if (equalValues(value, this.at(i))) return true;
    return false;
  }

  concat(other: CelList): CelList {
    return new ValueList([...this, ...other]);
  }

  override get costSize(): number {
    return this.size;
  }

  override isZero(): boolean {
    return this.size === 0;
  }

  toString(): string {
    return `[${[...this].map(showValue).join(", ")}]`;
  }
}

/** A list of stored values. The caller must not mutate `items` afterwards. */
export class ValueList extends CelList {
  readonly items: CelValue[];

  constructor(items: CelValue[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): CelValue {
    return this.items[index]!;
  }

  override concat(other: CelList): CelList {
    if (other.size === 0) return this;
    return new ValueList(
      other instanceof ValueList ? this.items.concat(other.items) : [...this.items, ...other],
    );
  }
}

/** A number as a list index; undefined when it is not whole. */
export function toIndex(index: CelValue): number | undefined {
  if (isInt(index)) return Number(index);
  if (!(index instanceof Double) && !(index instanceof Uint)) return undefined;
  const value = Number(index.value);
  return Number.isInteger(value) ? value : undefined;
}

/**
 * The item at an index, or undefined out of bounds; throws for an index that is no whole number.
 */
export function findItem(list: CelList, index: CelValue): CelValue | undefined {
  const i = toIndex(index);
  if (i === undefined)
    throw index instanceof Double
      ? new CelError(`unsupported index value ${showValue(index)} in list`)
      : new CelError(`unsupported index type '${typeOfValue(index).name}' in list`);
  return i >= 0 && i < list.size ? list.at(i) : undefined;
}
