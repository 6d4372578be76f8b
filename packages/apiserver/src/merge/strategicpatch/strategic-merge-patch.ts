// Strategic merge patch: a merge patch that merges lists by key as the Go types specify, with the
// directives $patch, $retainKeys, $deleteFromPrimitiveList/… and $setElementOrder/….
// Upstream: k8s.io/apimachinery/pkg/util/strategicpatch/patch.go; errors as patch.go of the
// handlers maps them.
import {
  cloneJson,
  compareBytewise,
  isObject,
  type Json,
  type JsonObject,
  setOwn,
} from "homeostat/api";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import { formatGoType } from "../../apimachinery/values/go-format.ts";
import { parsePatchText } from "../patch/parse-patch-text.ts";
import { duplicateErrors, type FieldValidation, jsonKindOf } from "../patch/patch-error.ts";
import { lookUpField, lookUpList, type PatchType } from "../../apimachinery/types/patch-meta.ts";
import { deleteFromList, mergeList } from "./strategic-merge-list.ts";
import { mergeOrderedLists } from "./set-element-order.ts";
import {
  badDirectiveError,
  deleteFromPrimitiveListPrefix,
  nameBehind,
  patchDirective,
  retainKeysDirective,
  setElementOrderPrefix,
  withoutDirectives,
} from "./strategic-directive.ts";
import { withoutNulls } from "../patch/without-nulls.ts";

/** A decoded patch body. */
export interface StrategicMergePatchBody {
  readonly patch: JsonObject;
  /** E.g. `duplicate field "data.a"`. */
  readonly strictErrors: readonly string[];
}

/** Decodes a body. Throws ApiStatusError 400. */
export function decodeStrategicMergePatch(
  text: string,
  validation: FieldValidation,
): StrategicMergePatchBody {
  const { value, duplicates } = parsePatchText(text);
  if (value !== null && !isObject(value))
    throw badRequestError(
      `json: cannot unmarshal ${jsonKindOf(value)} into Go value of type map[string]interface {}`,
    );
  return {
    patch: value ?? {},
    strictErrors: validation === "Ignore" ? [] : duplicateErrors(duplicates),
  };
}

/**
 * The patched object; arguments are not mutated. Throws ApiStatusError: 400, 422 or, for most
 * errors, 500.
 */
export const applyStrategicMergePatch = (
  object: JsonObject,
  patch: JsonObject,
  type: PatchType,
): JsonObject => mergeMap(cloneJson(object), cloneJson(patch), type);

/** Mutates both. */
function mergeMap(original: JsonObject, patch: JsonObject, type: PatchType): JsonObject {
  if (Object.hasOwn(patch, patchDirective)) return followDirective(patch);
  retainKeys(original, patch);
  for (const name of Object.keys(patch))
    if (name.startsWith(setElementOrderPrefix))
      mergeOrderedLists({ original, patch }, name, type, mergeMap);
  // Upstream iterates in random order; in this order lists lose deleted items first.
  for (const name of Object.keys(patch).sort(compareBytewise)) {
    if (name.startsWith(deleteFromPrimitiveListPrefix))
      deleteItems(original, name, patch[name]!, type);
    else mergeMember(original, name, patch[name]!, type);
  }
  return original;
}

function followDirective(patch: JsonObject): JsonObject {
  const directive = patch[patchDirective]!;
  if (directive === "delete") return {};
  if (directive !== "replace") throw badDirectiveError(directive, patch);
  delete patch[patchDirective];
  return patch;
}

const isRelated = (name: string): boolean =>
  name.startsWith(deleteFromPrimitiveListPrefix) || name.startsWith(setElementOrderPrefix);

/**
 * Drops all members of the original that the directive does not list; the patch may set only listed
 * ones.
 */
function retainKeys(original: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, retainKeysDirective)) return;
  const listed = patch[retainKeysDirective]!;
  delete patch[retainKeysDirective];
  if (!Array.isArray(listed)) throw badRequestError("invalid patch format of retainKeys");
  const keys = new Set<Json>(listed);
  if (
    Object.keys(patch).some((name) => patch[name] !== null && !isRelated(name) && !keys.has(name))
  )
    throw badRequestError("invalid patch format of retainKeys");
  for (const name of Object.keys(original)) if (!keys.has(name)) delete original[name];
}

function deleteItems(original: JsonObject, directive: string, items: Json, type: PatchType): void {
  const name = nameBehind(
    directive,
    deleteFromPrimitiveListPrefix,
    "invalid patch format of primitive list",
  );
  if (items === null) {
    delete original[name];
    return;
  }
  const current = Object.hasOwn(original, name) ? original[name]! : undefined;
  if (current === undefined || formatGoType(current) !== formatGoType(items)) return;
  if (Array.isArray(current)) {
    setOwn(
      original,
      name,
      deleteFromList(current, items as Json[], lookUpList(type, name), mergeMap),
    );
  } else if (isObject(current)) mergeMember(original, name, items, type);
  else setOwn(original, name, items);
}

function mergeMember(original: JsonObject, name: string, value: Json, type: PatchType): void {
  if (value === null) {
    delete original[name];
    return;
  }
  const current = Object.hasOwn(original, name) ? original[name]! : undefined;
  if (isObject(current) && isObject(value)) {
    const field = lookUpField(type, name);
    setOwn(
      original,
      name,
      field.strategy === "replace" ? value : mergeMap(current, value, field.type),
    );
  } else if (Array.isArray(current) && Array.isArray(value)) {
    setOwn(original, name, mergeList(current, value, lookUpList(type, name), mergeMap));
  } else {
    const kept = withoutDirectives(withoutNulls(value));
    if (kept === undefined) delete original[name];
    else setOwn(original, name, kept);
  }
}
