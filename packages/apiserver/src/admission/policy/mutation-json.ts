// What the expressions of mutating policies construct, as JSON. Upstream converts to Go's own types
// on the way, so that some values do not arrive, or arrive otherwise than they were written.
// Upstream: k8s.io/apiserver/pkg/cel/mutation/dynamic/objects.go,
// pkg/admission/plugin/policy/mutating/patch/json_patch.go, google.golang.org/protobuf structpb.
import {
  CelError,
  type CelValue,
  Double,
  Duration,
  JsonList,
  JsonMap,
  Optional,
  showValue,
  toJson,
  typeOfValue,
  Uint,
  ValueList,
  ValueMap,
} from "@homeostat/cel";
import type { Json, JsonObject } from "homeostat/api";
import {
  goTypeOf,
  type JsonPatchValue,
  ObjectValue,
} from "../../kinds/admissionregistration/mutation-values.ts";

/** Why a mutation cannot be made. */
export class MutationError extends Error {
  override readonly name = "MutationError";
}

/** A value of Go that no JSON becomes, as messages of upstream's merge show it. */
export class GoValue {
  readonly type: string;
  readonly shown: string;
  readonly syntax: string;

  constructor(type: string, shown: string, syntax: string) {
    this.type = type;
    this.shown = shown;
    this.syntax = syntax;
  }
}

/** JSON in which some values may be of Go. */
export type GoJson = Exclude<Json, JsonObject | Json[]> | GoValue | GoJson[] | GoObject;
export interface GoObject {
  [field: string]: GoJson;
}

/** The object of an apply configuration. Throws a MutationError. */
export function applyConfigurationOf(value: ObjectValue): GoObject {
  assertTypeNames(value);
  return objectJson(value, () => new MutationError("invalid return type: *dynamic.ObjectVal"));
}

/** An operation of a JSON patch. Throws a MutationError. */
export function operationOf({ op, path, from, value }: JsonPatchValue): JsonObject {
  if (value instanceof ObjectValue) assertTypeNames(value);
  return {
    op,
    path,
    ...(from ? { from } : {}),
    ...(value === undefined ? {} : { value: patchJsonOf(value) }),
  };
}

const unmarshalable = (why: string): MutationError =>
  new MutationError(
    `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${why}`,
  );

function patchJsonOf(value: CelValue): Json {
  if (value instanceof ObjectValue) return plainJson(objectJson(value, unmarshalable));
  if (value instanceof Optional && value.held !== undefined) return patchJsonOf(value.held);
  assertTextKeys(value);
  try {
    return safeIntegers(toJson(value));
  } catch (error) {
    if (error instanceof CelError) throw unmarshalable(error.message);
    throw error;
  }
}

function assertTextKeys(value: CelValue): void {
  if (value instanceof ValueList) for (const item of value.items) assertTextKeys(item);
  if (!(value instanceof ValueMap)) return;
  for (const [key, item] of value.entries()) {
    if (typeof key !== "string")
      throw unmarshalable(`unsupported type conversion from '${typeOfValue(key).name}' to string`);
    assertTextKeys(item);
  }
}

/** Protobuf's own JSON holds uints, but none of the other values of Go. */
function plainJson(value: GoJson): Json {
  if (value instanceof GoValue) {
    if (value.type === "uint64") return Number(value.shown);
    throw unmarshalable(`proto: invalid type: ${value.type}`);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plainJson);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, plainJson(member)]),
  );
}

/** Integers that a double does not hold become texts. */
function safeIntegers(value: Json): Json {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(safeIntegers);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, safeIntegers(member)]),
  );
}

/** Lists and maps directly below a field are converted with their items, but not those in them. */
function objectJson({ fields }: ObjectValue, fail: (why: string) => MutationError): GoObject {
  return Object.fromEntries(
    Array.from(fields, ([name, value]): [string, GoJson] => {
      if (value instanceof ValueList)
        return [name, value.items.map((item) => itemJson(item, fail))];
      if (!(value instanceof ValueMap)) return [name, itemJson(value, fail)];
      const entries = Array.from(value.entries(), ([key, item]) => {
        if (typeof key !== "string")
          throw fail(
            `fail to convert field "${name}": map key ${JSON.stringify(key)} is of type ${goTypeOf(key)}, not string`,
          );
        return [key, itemJson(item, fail)] as const;
      });
      return [name, Object.fromEntries(entries)];
    }),
  );
}

function itemJson(item: CelValue, fail: (why: string) => MutationError): GoJson {
  if (item instanceof ObjectValue) return objectJson(item, fail);
  if (item === null) return new GoValue("structpb.NullValue", "NULL_VALUE", "0");
  if (item instanceof Uint)
    return new GoValue("uint64", String(item), `0x${item.value.toString(16)}`);
  if (item instanceof Uint8Array) {
    const bytes = Array.from(item, (byte) => `0x${byte.toString(16)}`).join(", ");
    return new GoValue("[]uint8", showValue(item), `[]uint8{${bytes}}`);
  }
  if (item instanceof Duration)
    return new GoValue("time.Duration", showValue(item), String(item.nanoseconds));
  if (!isPlain(item)) return new GoValue(goTypeOf(item), showValue(item), showValue(item));
  return toJson(item);
}

/** Whether Go holds the value as JSON is held. */
const isPlain = (value: CelValue): boolean =>
  typeof value !== "object" ||
  value instanceof JsonMap ||
  value instanceof JsonList ||
  value instanceof Double;

/** The type of an object is named by the path of its field. */
function assertTypeNames(value: ObjectValue): void {
  const faults = typeNameFaults(value, value.type.name);
  if (faults.length) throw new MutationError(`type mismatch: ${faults.join("\n")}`);
}

function typeNameFaults(value: CelValue, path: string): readonly string[] {
  if (value instanceof ValueList) return value.items.flatMap((item) => typeNameFaults(item, path));
  if (value instanceof ValueMap)
    return Array.from(value.entries()).flatMap(([, item]) => typeNameFaults(item, path));
  if (!(value instanceof ObjectValue)) return [];
  const { name } = value.type;
  const own =
    name === path
      ? []
      : [
          `unexpected type name "${name}", expected "${path}", which matches field name path from root Object type`,
        ];
  return [
    ...own,
    ...Array.from(value.fields).flatMap(([field, each]) =>
      typeNameFaults(each, `${path}.${field}`),
    ),
  ];
}
