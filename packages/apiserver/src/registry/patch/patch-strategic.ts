// Strategic merge patch, for kinds whose types say how lists merge.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (smpPatcher).
import { cloneJson } from "homeostat/api";
import type { KindData } from "../../kinds/data/kind-data.ts";
import { formatGoValue } from "../../merge/go-format.ts";
import { patchTypeOf } from "../../merge/patch-meta.ts";
import { applyStrategicMergePatch, decodeStrategicMergePatch } from "../../merge/strategic-merge-patch.ts";
import type { FieldValidation } from "../body/read-object.ts";
import { formatBadValue } from "../field-error.ts";
import type { DocumentPatch } from "./patch-document.ts";
import type { PatchTarget } from "./patch-target.ts";
import { readPatched } from "./read-patched.ts";

/** Where a kind's merge rules are; what `VersionCodec.patchMeta` holds. */
interface PatchMeta {
  readonly data: KindData;
  readonly model: string;
}

/** Reads a strategic merge patch. Throws 400. */
export function readStrategicPatch(target: PatchTarget, text: string, validation: FieldValidation): DocumentPatch {
  const { patch, strictErrors } = decodeStrategicMergePatch(text, validation);
  const { data, model } = target.codec.patchMeta as PatchMeta;
  const type = patchTypeOf(data, model);
  const shown = formatBadValue(formatGoValue(patch));
  return (live) => readPatched(target, cloneJson(applyStrategicMergePatch(live, patch, type)), { shown, strictErrors, floatLiterals: new Map() });
}
