// Integers as Go's conversions leave them in the fields of a built-in kind: numbers that a field
// cannot hold wrap around, and floats beyond 64 bits become the smallest integer.
// Upstream: k8s.io/apimachinery/pkg/runtime/converter.go (fromUnstructured), reflect.Value.Convert.
import { isObject, type Json, type JsonObject, setOwn } from "homeostat/api";
import type { TypeRef } from "../../apimachinery/kind-data/kind-data.ts";
import type { PatchType } from "../../apimachinery/types/patch-meta.ts";

/** A copy of content that converts to the type, with its integers wrapped. */
export function wrapIntegers(type: PatchType, value: Json): Json {
  return wrap(type, type.ref, value);
}

function wrap(at: PatchType, ref: TypeRef, value: Json): Json {
  if (Array.isArray(value))
    return ref.at === "list" ? value.map((item) => wrap(at, ref.items, item)) : value;
  if (isObject(value)) return wrapMembers(at, ref, value);
  if (typeof value !== "number" && typeof value !== "bigint") return value;
  if (ref.at === "int32") return Number(BigInt.asIntN(32, toInt64(value)));
  return ref.at === "int64" ? narrowed(toInt64(value)) : value;
}

function wrapMembers(at: PatchType, ref: TypeRef, value: JsonObject): Json {
  if (ref.at !== "struct" && ref.at !== "map") return value;
  const members = ref.at === "struct" ? at.data.type(ref.type).members : [];
  const out: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const memberRef =
      ref.at === "map" ? ref.values : members.find((field) => field.name === name)?.ref;
    setOwn(out, name, memberRef ? wrap(at, memberRef, member) : member);
  }
  return out;
}

/** As amd64 converts: the smallest integer stands for what is out of range. */
function toInt64(value: number | bigint): bigint {
  if (typeof value === "number" && !Number.isInteger(value)) return 0n;
  const exact = BigInt(value);
  return BigInt.asIntN(64, exact) === exact ? exact : -(2n ** 63n);
}

const narrowed = (value: bigint): number | bigint =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;
