// Messages of google.protobuf by name: `google.protobuf.Int64Value{value: 1}` is the int 1. All but
// Empty are made into values of CEL's own types at once.
// Upstream: github.com/google/cel-go v0.26 common/types/provider.go (NewValue),
// common/types/pb/type.go (unwrap), common/types/types.go (checkedWellKnowns).
import type { StructDeclaration } from "../environment/environment.ts";
import {
  anyType,
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullableType,
  stringType,
  timestampType,
  type Type,
  uintType,
} from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import { Double } from "../values/double.ts";
import { Duration } from "../values/duration.ts";
import { fitsInt } from "../values/int.ts";
import { ValueList } from "../values/list.ts";
import { ValueMap } from "../values/map.ts";
import { Timestamp } from "../values/timestamp.ts";
import { Uint } from "../values/uint.ts";
import type { CelInt, CelValue } from "../values/value.ts";
import { type FieldKind, fieldType, fieldValue } from "./protobuf-fields.ts";
import { ProtobufMessage } from "./protobuf-message.ts";

type Fields = ReadonlyMap<string, CelValue>;

interface Message {
  /** The type of its literals; absent for a type of its own. */
  readonly literalType?: Type;
  readonly fields: Readonly<Record<string, FieldKind>>;
  readonly unwrap: (fields: Fields) => CelValue;
}

const wrapper = (type: Type, kind: FieldKind, zero: CelValue): Message => ({
  literalType: nullableType(type),
  fields: { value: kind },
  unwrap: (fields) => fields.get("value") ?? zero,
});

const instant: Message["fields"] = { seconds: "int64", nanos: "int32" };

const messages: Readonly<Record<string, Message>> = {
  BoolValue: wrapper(boolType, "bool", false),
  BytesValue: wrapper(bytesType, "bytes", new Uint8Array()),
  DoubleValue: wrapper(doubleType, "double", new Double(0)),
  FloatValue: wrapper(doubleType, "float", new Double(0)),
  Int32Value: wrapper(intType, "int32", 0),
  Int64Value: wrapper(intType, "int64", 0),
  StringValue: wrapper(stringType, "string", ""),
  UInt32Value: wrapper(uintType, "uint32", new Uint(0n)),
  UInt64Value: wrapper(uintType, "uint64", new Uint(0n)),
  Duration: { literalType: durationType, fields: instant, unwrap: toDuration },
  Timestamp: { literalType: timestampType, fields: instant, unwrap: toTimestamp },
  ListValue: {
    literalType: listType(dynType),
    fields: { values: "repeated Value" },
    unwrap: (fields) => fields.get("values") ?? new ValueList([]),
  },
  Struct: {
    literalType: mapType(stringType, dynType),
    fields: { fields: "map of Value" },
    unwrap: (fields) => fields.get("fields") ?? new ValueMap([]),
  },
  Value: {
    literalType: dynType,
    fields: {
      null_value: "enum",
      number_value: "double",
      string_value: "string",
      bool_value: "bool",
      struct_value: "Struct",
      list_value: "ListValue",
    },
    unwrap: theOneValue,
  },
  Any: {
    literalType: anyType,
    fields: { type_url: "string", value: "bytes" },
    unwrap: refusePacked,
  },
  Empty: { fields: {}, unwrap: () => new ProtobufMessage("google.protobuf.Empty") },
};

/** The messages by full name. */
export const protobufMessages: ReadonlyMap<string, StructDeclaration> = new Map(
  Object.entries(messages).map(([short, message]) => {
    const name = `google.protobuf.${short}`;
    return [name, declare(name, message)] as const;
  }),
);

/** Values of enumerations are ints. */
export const protobufConstants: ReadonlyMap<string, CelValue> = new Map([
  ["google.protobuf.NullValue.NULL_VALUE", 0],
]);

function declare(name: string, { literalType, fields, unwrap }: Message): StructDeclaration {
  return {
    name,
    ...(literalType && { literalType }),
    field: (field) => (Object.hasOwn(fields, field) ? fieldType(fields[field]!) : undefined),
    create: (given) => {
      const converted = Array.from(
        given,
        ([field, value]) => [field, fieldValue(`${name}.${field}`, fields[field]!, value)] as const,
      );
      return unwrap(new Map(converted));
    },
  };
}

const intOf = (fields: Fields, name: string): bigint => BigInt((fields.get(name) ?? 0) as CelInt);

const second = 1_000_000_000n;

/** Beyond 64 bits of nanoseconds the longest duration. */
function toDuration(fields: Fields): Duration {
  const nanoseconds = intOf(fields, "seconds") * second + intOf(fields, "nanos");
  if (fitsInt(nanoseconds)) return new Duration(nanoseconds);
  return new Duration(nanoseconds > 0n ? 2n ** 63n - 1n : -(2n ** 63n));
}

/** What a Date can hold, in seconds. */
const maxSeconds = 8_640_000_000_000;

/** Later than a Date can hold is refused, which upstream does not. */
function toTimestamp(fields: Fields): Timestamp {
  const total = intOf(fields, "seconds") * second + intOf(fields, "nanos");
  const nanos = ((total % second) + second) % second;
  const seconds = Number((total - nanos) / second);
  if (Math.abs(seconds) > maxSeconds) throw new CelError("timestamp overflow");
  return new Timestamp(seconds, Number(nanos), 0);
}

/** The fields exclude each other: one that is set later replaces the others. */
function theOneValue(fields: Fields): CelValue {
  const [name, value] = Array.from(fields).at(-1) ?? ["null_value", null];
  return name === "null_value" ? null : value;
}

/** Messages that are packed into an Any are not decoded. */
function refusePacked(fields: Fields): never {
  const url = fields.get("type_url") as string | undefined;
  const shown = url ? `type_url:${JSON.stringify(url)}` : "";
  throw new CelError(`unsupported conversion to ref.Val: (*dynamicpb.Message)${shown}`);
}
