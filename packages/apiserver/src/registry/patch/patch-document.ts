// JSON patch and merge patch: the object as JSON, patched, and read again as a body would be.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (jsonPatcher).
import { encodeJson, isObject, type Json, type JsonObject, type ParsedJson } from "homeostat/api";
import { applyJsonPatch, decodeJsonPatch } from "../../merge/patch/json-patch.ts";
import { applyMergePatch, decodeMergePatch } from "../../merge/patch/merge-patch.ts";
import type { FieldValidation } from "../body/read-object.ts";
import { formatBadValue } from "../../apimachinery/errors/field-error.ts";
import { readPatched } from "./read-patched.ts";
import type { PatchTarget } from "./patch-target.ts";

/** A patch that has been read, ready for any number of attempts. */
export type DocumentPatch = (live: JsonObject) => JsonObject;

/** Reads a JSON patch. Throws 400 and 413. */
export function readJsonPatch(
  target: PatchTarget,
  text: string,
  validation: FieldValidation,
): DocumentPatch {
  const { operations, strictErrors } = decodeJsonPatch(text, validation);
  return (live) =>
    readPatchedJson(target, applyJsonPatch(live, operations), strictErrors, new Map());
}

/** Reads a merge patch. Throws 400. */
export function readMergePatch(
  target: PatchTarget,
  text: string,
  validation: FieldValidation,
): DocumentPatch {
  const { patch, strictErrors, floatLiterals } = decodeMergePatch(text, validation);
  return (live) =>
    readPatchedJson(target, applyMergePatch(live, patch), strictErrors, floatLiterals);
}

function readPatchedJson(
  target: PatchTarget,
  patched: Json,
  strictErrors: readonly string[],
  floatLiterals: ParsedJson["floatLiterals"],
): JsonObject {
  return readPatched(target, isObject(patched) ? { ...patched } : patched, {
    shown: formatBadValue(encodeJson(patched)),
    strictErrors,
    floatLiterals,
  });
}
