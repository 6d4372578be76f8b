// A patch that is no apply, by its media type.
import { bodyOf } from "../body/request-body.ts";
import { type DocumentPatch, readJsonPatch, readMergePatch } from "./patch-document.ts";
import { readStrategicPatch } from "./patch-strategic.ts";
import type { PatchTarget } from "./patch-target.ts";
import type { PatchType } from "./patch-type.ts";

/** Reads the body of the target's request. Throws 400 and 413. */
export function readDocumentPatch(target: PatchTarget, type: PatchType): DocumentPatch {
  const text = Buffer.from(bodyOf(target.scope.request)).toString("utf8");
  if (type === "application/json-patch+json")
    return readJsonPatch(target, text, target.fieldValidation);
  return type === "application/merge-patch+json"
    ? readMergePatch(target, text, target.fieldValidation)
    : readStrategicPatch(target, text, target.fieldValidation);
}
