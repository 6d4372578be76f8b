// Strategic merge patch, for kinds whose types say how lists merge.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (smpPatcher).
import { formatGoValue } from "../../merge/go-format.ts";
import { applyStrategicMergePatch, decodeStrategicMergePatch } from "../../merge/strategic-merge-patch.ts";
import type { FieldValidation } from "../body/read-object.ts";
import { formatBadValue } from "../field-error.ts";
import type { DocumentPatch } from "./patch-document.ts";
import type { PatchTarget } from "./patch-target.ts";
import { readPatched } from "./read-patched.ts";

/** Reads a strategic merge patch for a kind that has `patchMeta`. Throws 400. */
export function readStrategicPatch(target: PatchTarget, text: string, validation: FieldValidation): DocumentPatch {
  const { patch, strictErrors } = decodeStrategicMergePatch(text, validation);
  const type = target.codec.patchMeta!;
  const shown = formatBadValue(formatGoValue(patch));
  return (live) => readPatched(target, applyStrategicMergePatch(live, patch, type), { shown, strictErrors, floatLiterals: new Map() });
}
