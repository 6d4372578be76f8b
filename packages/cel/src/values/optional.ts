// optional_type: a value or none.
// Upstream: github.com/google/cel-go v0.26 common/types/optional.go.
import { dynType, optionalType } from "../types/type.ts";
import { CelError } from "./cel-error.ts";
import { equalValues } from "./equality.ts";
import { CelObject, type CelValue, showValue } from "./value.ts";

const type = optionalType(dynType);

/** An optional value. */
export class Optional extends CelObject {
  readonly type = type;
  readonly held: CelValue | undefined;

  constructor(held: CelValue | undefined) {
    super();
    this.held = held;
  }

  get value(): CelValue {
    if (this.held === undefined) throw new CelError("optional.none() dereference");
    return this.held;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof Optional)) return false;
    if (this.held === undefined || other.held === undefined) return this.held === other.held;
    return equalValues(this.held, other.held);
  }

  override isZero(): boolean {
    return this.held === undefined;
  }

  toString(): string {
    return this.held === undefined ? "optional.none()" : `optional(${showValue(this.held)})`;
  }
}

export const none = new Optional(undefined);
