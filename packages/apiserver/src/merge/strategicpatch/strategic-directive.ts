// Directives of strategic merge patch, and errors about them.
// Upstream: k8s.io/apimachinery/pkg/util/mergepatch/errors.go, pkg/util/strategicpatch/patch.go.
import { type ApiStatusError, isObject, type Json, type JsonObject } from "homeostat/api";
import { badRequestError, plainError } from "../../apimachinery/errors/api-errors.ts";
import { formatGoString } from "../../apimachinery/values/go-syntax.ts";
import { formatGoType, formatGoValue } from "../../apimachinery/values/go-format.ts";

export const patchDirective = "$patch";
export const setElementOrderPrefix = "$setElementOrder";
export const retainKeysDirective = "$retainKeys";
export const deleteFromPrimitiveListPrefix = "$deleteFromPrimitiveList";

export const noMergeKeyError = (item: JsonObject, key: string): ApiStatusError =>
  plainError(`map: ${formatGoValue(item)} does not contain declared merge key: ${key}`);
export const badArgumentError = (
  expected: "map[string]interface {}" | "[]interface {}",
  actual: Json,
): ApiStatusError =>
  plainError(
    `expected a ${expected}, but received a ${actual === null ? "%!s(<nil>)" : formatGoType(actual)}`,
  );
export const badDirectiveError = (directive: Json, map: JsonObject): ApiStatusError =>
  plainError(`unknown patch type: ${formatGoString(directive)} in map: ${formatGoValue(map)}`);

/** `finalizers` of `$setElementOrder/finalizers`. */
export function nameBehind(directive: string, prefix: string, fault: string): string {
  const slash = directive.indexOf("/");
  if (slash < 0 || directive.slice(0, slash) !== prefix) throw badRequestError(fault);
  return directive.slice(slash + 1);
}

/**
 * Removes maps with a directive from the value, at any depth; undefined when the value is one
 * itself. Mutates its argument.
 */
export function withoutDirectives(value: Json): Json | undefined {
  if (isDirective(value)) return undefined;
  const open = [value];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (Array.isArray(at)) {
      const kept = at.filter((item) => !isDirective(item));
      at.splice(0, at.length, ...kept);
    } else if (isObject(at)) {
      for (const [name, member] of Object.entries(at)) if (isDirective(member)) delete at[name];
    } else continue;
    for (const member of Object.values(at))
      if (typeof member === "object" && member !== null) open.push(member);
  }
  return value;
}

const isDirective = (value: Json): boolean =>
  isObject(value) && Object.hasOwn(value, patchDirective);
