// What the expressions of mutating policies construct, as JSON. Upstream converts to Go's own types
// on the way, so that some values do not arrive, or arrive otherwise than they were written.
// Upstream: k8s.io/apiserver/pkg/cel/mutation/dynamic/objects.go,
// pkg/admission/plugin/policy/mutating/patch/json_patch.go, google.golang.org/protobuf structpb.
import { CelError, type CelValue, toJson, ValueList, ValueMap } from "@homeostat/cel";
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

/** The object of an apply configuration. Throws a MutationError. */
export function applyConfigurationOf(value: ObjectValue): JsonObject {
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
  if (value instanceof ObjectValue) return objectJson(value, unmarshalable);
  try {
    return safeIntegers(toJson(value));
  } catch (error) {
    if (error instanceof CelError) throw unmarshalable(error.message);
    throw error;
  }
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
function objectJson({ fields }: ObjectValue, fail: (why: string) => MutationError): JsonObject {
  return Object.fromEntries(
    Array.from(fields, ([name, value]) => {
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

/** A literal list or map here is no value that a schema could accept. */
function itemJson(item: CelValue, fail: (why: string) => MutationError): Json {
  if (item instanceof ObjectValue) return objectJson(item, fail);
  if (item instanceof ValueList || item instanceof ValueMap || item === null) return false;
  try {
    return toJson(item);
  } catch (error) {
    if (error instanceof CelError) throw fail(error.message);
    throw error;
  }
}

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
