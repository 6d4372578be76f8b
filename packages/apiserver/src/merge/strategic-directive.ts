// The directives of strategic merge patch and the faults that they and their surroundings can have.
// Upstream: k8s.io/apimachinery/pkg/util/mergepatch/errors.go, pkg/util/strategicpatch/patch.go.
import { type ApiStatusError, isObject, type Json, type JsonObject, setOwn } from "homeostat/api";
import { badRequestError, plainError } from "../registry/api-errors.ts";
import { formatGoString } from "./go-format.ts";
import { formatGoType, formatGoValue } from "../schema/go-format.ts";

export const patchDirective = "$patch";
export const setElementOrderPrefix = "$setElementOrder";

export const noMergeKeyError = (item: JsonObject, key: string): ApiStatusError => plainError(`map: ${formatGoValue(item)} does not contain declared merge key: ${key}`);
export const badArgumentError = (expected: "map[string]interface {}" | "[]interface {}", actual: Json): ApiStatusError =>
  plainError(`expected a ${expected}, but received a ${actual === null ? "%!s(<nil>)" : formatGoType(actual)}`);
export const badDirectiveError = (directive: Json, map: JsonObject): ApiStatusError => plainError(`unknown patch type: ${formatGoString(directive)} in map: ${formatGoValue(map)}`);

/** `finalizers` of `$setElementOrder/finalizers`. */
export function nameBehind(directive: string, prefix: string, fault: string): string {
  const slash = directive.indexOf("/");
  if (slash < 0 || directive.slice(0, slash) !== prefix) throw badRequestError(fault);
  return directive.slice(slash + 1);
}

/** Maps with a directive go, at any depth; undefined where the value itself is one. */
export function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  const out: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const kept = withoutDirectives(member);
    if (kept !== undefined) setOwn(out, name, kept);
  }
  return out;
}
