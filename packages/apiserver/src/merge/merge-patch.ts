// JSON merge patch (RFC 7386), with the leniency of the library that upstream uses.
// Upstream: gopkg.in/evanphx/json-patch.v4/merge.go, k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
import { cloneJson, isObject, type Json, type JsonObject, JsonSyntaxError, parseJson, type ParsedJson, setOwn } from "homeostat/api";
import { badRequestError } from "../registry/api-errors.ts";
import { duplicateErrors, type FieldValidation, jsonKindOf } from "./patch-error.ts";

/** A patch body, read. */
export interface MergePatchBody {
  readonly patch: Json;
  /** In the words of upstream's strict decoder, e.g. `duplicate field "data.a"`. */
  readonly strictErrors: readonly string[];
  /** See {@link ParsedJson}: the patched object has these literals at the same paths, outside of replaced lists too. */
  readonly floatLiterals: ParsedJson["floatLiterals"];
}

/** Reads a body. Throws ApiStatusError 400. */
export function decodeMergePatch(text: string, validation: FieldValidation): MergePatchBody {
  const { value, duplicates, floatLiterals } = parse(text, validation);
  if (validation !== "Ignore" && value !== null && !isObject(value))
    throw badRequestError(`error decoding patch: json: cannot unmarshal ${jsonKindOf(value)} into Go value of type map[string]interface {}`);
  if (value === null || typeof value !== "object") throw badRequestError("Invalid JSON Patch");
  return { patch: value, strictErrors: validation === "Ignore" ? [] : duplicateErrors(duplicates), floatLiterals };
}

function parse(text: string, validation: FieldValidation): ParsedJson {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw badRequestError(validation === "Ignore" ? "Invalid JSON Patch" : `error decoding patch: ${error.message}`);
  }
}

/** The patched document, which is the caller's to mutate; the arguments stay as they are. A list replaces the document. */
export const applyMergePatch = (document: Json, patch: Json): Json => (isObject(document) && isObject(patch) ? mergeObjects(document, patch) : pruned(patch));

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, current] of Object.entries(document)) if (!Object.hasOwn(patch, name)) setOwn(out, name, cloneJson(current));
  for (const [name, value] of Object.entries(patch)) if (value !== null) setOwn(out, name, mergeMember(Object.hasOwn(document, name) ? document[name]! : null, value));
  return out;
}

/** What comes new loses its nulls, save where it takes the place of an object without being one. */
function mergeMember(current: Json, value: Json): Json {
  if (!isObject(current)) return pruned(value);
  return isObject(value) ? mergeObjects(current, value) : cloneJson(value);
}

/** A copy without null members, at any depth; null list items stay. */
function pruned(value: Json): Json {
  const copy = cloneJson(value);
  const open = [copy];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== "object" || at === null) continue;
    for (const [name, member] of Object.entries(at)) {
      if (member === null && !Array.isArray(at)) delete at[name];
      else if (typeof member === "object") open.push(member);
    }
  }
  return copy;
}
