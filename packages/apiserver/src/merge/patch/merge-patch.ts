// JSON merge patch (RFC 7386), as lenient as the library that upstream uses.
// Upstream: gopkg.in/evanphx/json-patch.v4/merge.go,
// k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
import { cloneJson, isObject, type Json, type JsonObject, setOwn } from "homeostat/api";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import { markLiterals } from "./number-literals.ts";
import { parsePatchText } from "./parse-patch-text.ts";
import { withoutNulls } from "./without-nulls.ts";
import { duplicateErrors, type FieldValidation, jsonKindOf } from "./patch-error.ts";

/** A decoded patch body. */
export interface MergePatchBody {
  readonly patch: Json;
  /** Messages of upstream's strict decoder, e.g. `duplicate field "data.a"`. */
  readonly strictErrors: readonly string[];
  /** The patch has marked number literals: see number-literals.ts. */
  readonly isMarked: boolean;
}

/** Decodes a body. Throws ApiStatusError 400. */
export function decodeMergePatch(text: string, validation: FieldValidation): MergePatchBody {
  const { value, duplicates, floatLiterals } = parsePatchText(text, {
    overflow: validation === "Ignore" ? "kept" : "refused",
    describe: (message) =>
      validation === "Ignore" ? "Invalid JSON Patch" : `error decoding patch: ${message}`,
  });
  if (validation !== "Ignore" && value !== null && !isObject(value))
    throw badRequestError(
      `error decoding patch: json: cannot unmarshal ${jsonKindOf(value)} into Go value of type map[string]interface {}`,
    );
  if (value === null || typeof value !== "object") throw badRequestError("Invalid JSON Patch");
  markLiterals(value, floatLiterals);
  return {
    patch: value,
    isMarked: floatLiterals.size > 0,
    strictErrors: validation === "Ignore" ? [] : duplicateErrors(duplicates),
  };
}

/** The patched document, which shares nothing with the arguments. A list replaces the document. */
export const applyMergePatch = (document: Json, patch: Json): Json =>
  isObject(document) && isObject(patch) ? mergeObjects(document, patch) : withoutNulls(patch);

/** New values lose their nulls, except values that replace an object without being one. */
function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  const whole: JsonObject = {};
  const open: (readonly [document: JsonObject, patch: JsonObject, out: JsonObject])[] = [
    [document, patch, whole],
  ];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [from, by, out] = pair;
    for (const [name, current] of Object.entries(from))
      if (!Object.hasOwn(by, name)) setOwn(out, name, cloneJson(current));
    for (const [name, value] of Object.entries(by)) {
      if (value === null) continue;
      const current = Object.hasOwn(from, name) ? from[name]! : null;
      if (isObject(current) && isObject(value)) {
        const inner: JsonObject = {};
        setOwn(out, name, inner);
        open.push([current, value, inner]);
      } else setOwn(out, name, isObject(current) ? cloneJson(value) : withoutNulls(value));
    }
  }
  return whole;
}
