// Patches of the object's JSON by media type: JSON patch and merge patch here, strategic merge
// patch beside it. The patched object is read again as a body would be.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (jsonPatcher).
import { encodeJson, isObject, type JsonObject, parseExact } from "homeostat/api";
import { applyJsonPatch, decodeJsonPatch } from "../../merge/patch/json-patch.ts";
import { applyMergePatch, decodeMergePatch } from "../../merge/patch/merge-patch.ts";
import { printJsonPatched, printMergePatched } from "../../merge/patch/print-patched.ts";
import { formatBadValue } from "../../apimachinery/errors/field-error.ts";
import { bodyOf } from "../body/request-body.ts";
import { readStrategicPatch } from "./patch-strategic.ts";
import type { PatchType } from "./patch-type.ts";
import { type DocumentPatch, type PatchTarget, readPatched } from "./read-patched.ts";

/** Reads the body of a request that is no apply. Throws 400 and 413. */
export function readDocumentPatch(target: PatchTarget, type: PatchType): DocumentPatch {
  const text = Buffer.from(bodyOf(target.scope.request)).toString("utf8");
  if (type === "application/json-patch+json") return readJsonPatch(target, text);
  if (type === "application/merge-patch+json") return readMergePatch(target, text);
  return readStrategicPatch(target, text);
}

function readJsonPatch(target: PatchTarget, text: string): DocumentPatch {
  const { operations, strictErrors } = decodeJsonPatch(text, target.fieldValidation);
  return (live) => {
    const shown = (): string =>
      printJsonPatched(applyJsonPatch(asWritten(target, live), operations), operations);
    const body = {
      shown: () => formatBadValue(shown()),
      strictErrors,
      floatLiterals: new Map(),
      again: () => parseExact(shown()),
    };
    return readPatched(target, applyJsonPatch(live, operations), body);
  };
}

function readMergePatch(target: PatchTarget, text: string): DocumentPatch {
  const { patch, strictErrors, floatLiterals } = decodeMergePatch(text, target.fieldValidation);
  return (live) => {
    const shown = (): string =>
      isObject(patch)
        ? printMergePatched(asWritten(target, live), patch)
        : encodeJson(applyMergePatch(live, patch));
    const body = {
      shown: () => formatBadValue(shown()),
      strictErrors,
      floatLiterals,
      again: () => parseExact(shown()),
    };
    return readPatched(target, applyMergePatch(live, patch), body);
  };
}

/** With the members of objects in the order in which the server writes them. */
const asWritten = ({ codec }: PatchTarget, live: JsonObject): JsonObject =>
  parseExact(codec.encode?.(live) ?? encodeJson(live)) as JsonObject;
