// Patches of the object's JSON by media type: JSON patch and merge patch here, strategic merge
// patch beside it. The patched object is read again as a body would be.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (jsonPatcher).
import {
  encodeJson,
  isObject,
  type Json,
  type JsonObject,
  parseExact,
  parseJson,
  type ParsedJson,
} from "homeostat/api";
import { applyJsonPatch, decodeJsonPatch } from "../../merge/patch/json-patch.ts";
import { applyMergePatch, decodeMergePatch } from "../../merge/patch/merge-patch.ts";
import { printLiterals } from "../../merge/patch/number-literals.ts";
import { printJsonPatched, printMergePatched } from "../../merge/patch/print-patched.ts";
import { formatBadValue } from "../../apimachinery/errors/field-error.ts";
import { bodyOf } from "../body/request-body.ts";
import { readStrategicPatch } from "./patch-strategic.ts";
import type { PatchType } from "./patch-type.ts";
import {
  type DocumentPatch,
  type PatchedBody,
  type PatchTarget,
  readPatched,
} from "./read-patched.ts";

/** Reads the body of a request that is no apply. Throws 400 and 413. */
export function readDocumentPatch(target: PatchTarget, type: PatchType): DocumentPatch {
  const text = Buffer.from(bodyOf(target.scope.request)).toString("utf8");
  if (type === "application/json-patch+json") return readJsonPatch(target, text);
  if (type === "application/merge-patch+json") return readMergePatch(target, text);
  return readStrategicPatch(target, text);
}

function readJsonPatch(target: PatchTarget, text: string): DocumentPatch {
  const patch = decodeJsonPatch(text, target.fieldValidation);
  const { operations, strictErrors, isMarked } = patch;
  return (live) => {
    const written = (): string =>
      printJsonPatched(applyJsonPatch(asWritten(target, live), operations), operations);
    const patched = isMarked ? readAgain(written) : plain(applyJsonPatch(live, operations));
    return readPatched(target, patched, { ...textBody(written), strictErrors });
  };
}

function readMergePatch(target: PatchTarget, text: string): DocumentPatch {
  const { patch, isMarked, strictErrors } = decodeMergePatch(text, target.fieldValidation);
  return (live) => {
    const written = (): string =>
      isObject(patch)
        ? printMergePatched(asWritten(target, live), patch)
        : printLiterals(encodeJson(applyMergePatch(live, patch)));
    const patched = isMarked ? readAgain(written) : plain(applyMergePatch(live, patch));
    return readPatched(target, patched, { ...textBody(written), strictErrors });
  };
}

const plain = (value: Json): ParsedJson => ({ value, duplicates: [], floatLiterals: new Map() });
const readAgain = (written: () => string): ParsedJson => parseJson(written(), { overflow: "kept" });

/** Upstream patches text: the first fault is that of the text, and its numbers are literals. */
const textBody = (written: () => string): Pick<PatchedBody, "shown" | "source" | "readAgain"> => ({
  shown: () => formatBadValue(written()),
  source: "text",
  readAgain: () => readAgain(written),
});

/** With the members of objects in the order in which the server writes them. */
const asWritten = ({ codec }: PatchTarget, live: JsonObject): JsonObject =>
  parseExact(codec.encode?.(live) ?? encodeJson(live)) as JsonObject;
