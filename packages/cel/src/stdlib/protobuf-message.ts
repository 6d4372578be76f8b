// A message of protobuf that no other value of CEL stands for. Among the messages that expressions
// can name only google.protobuf.Empty is one.
// Upstream: github.com/google/cel-go v0.26 common/types/object.go.
import { structType, type Type } from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import { CelObject, type CelValue, showValue } from "../values/value.ts";

/** A message without fields. */
export class ProtobufMessage extends CelObject {
  readonly type: Type;

  constructor(name: string) {
    super();
    this.type = structType(name);
  }

  equals(other: CelValue): boolean {
    return other instanceof ProtobufMessage && other.type.name === this.type.name;
  }

  override isZero(): boolean {
    return true;
  }

  get(field: CelValue): CelValue | undefined {
    throw new CelError(`no such field '${showValue(field)}'`);
  }

  toString(): string {
    return `${this.type.name}{}`;
  }
}
