// Types as values: the result of `type(x)`, and `int`, `string` and `list` in expressions.
// Upstream: github.com/google/cel-go v0.26 common/types/types.go.
import { type Type, typeType } from "../types/type.ts";
import { CelObject, type CelValue } from "./value.ts";

/** A type value; two are equal when their names are, parameters aside. */
export class TypeValue extends CelObject {
  readonly type = typeType;
  readonly of: Type;

  constructor(of: Type) {
    super();
    this.of = of;
  }

  equals(other: CelValue): boolean {
    return other instanceof TypeValue && other.of.name === this.of.name;
  }

  toString(): string {
    return this.of.name;
  }
}
