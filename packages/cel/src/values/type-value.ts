// Types as values: the result of `type(x)`, and `int`, `string` and `list` in expressions.
// Upstream: github.com/google/cel-go v0.26 common/types/types.go.
import { type Type, typeType } from "../types/type.ts";
import { type CelValue, Wrapper } from "./value.ts";

/** A type value; two are equal when their names are, parameters aside. */
export class TypeValue extends Wrapper<Type> {
  readonly type = typeType;

  equals(other: CelValue): boolean {
    return other instanceof TypeValue && other.value.name === this.value.name;
  }

  toString(): string {
    return this.value.name;
  }
}
