// Puts the members that a body has empty back into an object, for messages that print values: the
// JSON form drops them, upstream's structs keep them.
import { cloneJson, isObject, type Json, type JsonObject } from "homeostat/api";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { EmptiedMember } from "../../apimachinery/rest/version-codec.ts";

/**
 * The errors of `object` as messages over the object with its empty members; `validate` is run
 * again for them. What is an error does not depend on such members: upstream's rules do not tell
 * them from unset ones.
 */
export function withEmptied(
  errors: readonly FieldError[],
  object: JsonObject,
  emptied: readonly EmptiedMember[] | undefined,
  validate: (object: JsonObject) => readonly FieldError[],
): readonly FieldError[] {
  if (!errors.length || !emptied?.length) return errors;
  const again = validate(restoreEmptied(object, emptied));
  return again.length === errors.length && again.every((error, i) => isSame(error, errors[i]!))
    ? again
    : errors;
}

const isSame = (one: FieldError, other: FieldError): boolean =>
  one.type === other.type && one.field === other.field;

/** A copy of `object` with the members that it lacks. */
function restoreEmptied(object: JsonObject, emptied: readonly EmptiedMember[]): JsonObject {
  const copy = cloneJson(object);
  for (const { path, value } of emptied) {
    const owner = path.slice(0, -1).reduce<Json | undefined>(memberOf, copy);
    const name = path.at(-1)!;
    if (isObject(owner)) owner[name] ??= value;
  }
  return copy;
}

/** A member of an object or an item of a list; undefined where there is none. */
export function memberOf(value: Json | undefined, step: string | number): Json | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}
