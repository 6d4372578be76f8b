// Strategic merge patch, for kinds whose Go types have merge keys.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (smpPatcher).
import { formatApiVersion } from "homeostat/api";
import { formatGoValue } from "../../apimachinery/values/go-format.ts";
import {
  applyStrategicMergePatch,
  decodeStrategicMergePatch,
} from "../../merge/strategicpatch/strategic-merge-patch.ts";
import { unstructuredFault } from "../../merge/strategicpatch/unstructured-fault.ts";
import { formatBadValue } from "../../apimachinery/errors/field-error.ts";
import { type DocumentPatch, type PatchTarget, readPatched } from "./read-patched.ts";

/** Reads a strategic merge patch for a kind that has `patchMeta`. Throws 400. */
export function readStrategicPatch(target: PatchTarget, text: string): DocumentPatch {
  const { patch, strictErrors } = decodeStrategicMergePatch(text, target.fieldValidation);
  const type = target.codec.patchMeta!;
  const shown = (): string => formatBadValue(formatGoValue(patch));
  return (live) => {
    // The result is decoded into the endpoint's type, whatever type it states.
    const patched = {
      ...applyStrategicMergePatch(live, patch, type),
      kind: target.kind.kind,
      apiVersion: formatApiVersion(target.kind),
    };
    const content = { value: patched, duplicates: [], floatLiterals: new Map() };
    return readPatched(target, content, {
      shown,
      strictErrors,
      source: "unstructured",
      reword: (why) => unstructuredFault(type, patched) ?? toConverterMessage(why),
    });
  };
}

/**
 * Rewrites a message of the decoder as upstream's converter puts it, e.g. `cannot convert int64 to
 * string`, `cannot restore map from slice`. Upstream: k8s.io/apimachinery/pkg/runtime/converter.go.
 */
export function toConverterMessage(why: string): string {
  if (why.startsWith("illegal base64")) return `error decoding from json: ${why}`;
  const found =
    /^json: cannot unmarshal (\w+)(?: (\S+))? into Go struct field \S+ of type \*?(.+)$/.exec(why);
  if (!found) return why;
  const [, json = "", literal = "", type = ""] = found;
  const number = /[.eE]/.test(literal) ? "float64" : "int64";
  const from = { object: "map", array: "slice", number }[json] ?? json;
  if (type.startsWith("map[")) return `cannot restore map from ${from}`;
  if (type.startsWith("[]")) return `cannot restore slice from ${from}`;
  if (from === "map" || from === "slice")
    return `unrecognized type: ${/^(?:u?int\d*|float\d+|string|bool)$/.test(type) ? type : "string"}`;
  return /^\w+\.[A-Z]/.test(type)
    ? `cannot restore struct from: ${from}`
    : `cannot convert ${from} to ${type}`;
}
