// A patched object, read as a body would be: what does not fit is the patch's fault, and 422.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (applyPatchToCurrentObject, applyPatchToObject).
import { type ApiStatusError, isApiStatusError, isObject, type Json, type JsonObject, type ParsedJson } from "homeostat/api";
import { invalidError } from "../api-errors.ts";
import { fillClaim, kindFault } from "../body/claimed-kind.ts";
import { BodyError, claimBody } from "../body/parse-body.ts";
import { formatStrictErrors } from "../body/read-object.ts";
import type { Decoded } from "../served-resource.ts";
import type { PatchTarget } from "./patch-target.ts";

/** What error messages and strict checks need beside the object. */
export interface PatchedBody {
  /** The patched object, or the patch, as messages print it. */
  readonly shown: string;
  /** What the patch itself is to be blamed for. */
  readonly strictErrors: readonly string[];
  readonly floatLiterals: ParsedJson["floatLiterals"];
}

/** Decodes `patched`, which is taken over. Throws 422. */
export function readPatched(target: PatchTarget, patched: Json, body: PatchedBody): JsonObject {
  const { object, strictErrors } = decode(target, patched, body);
  const all = [...body.strictErrors, ...strictErrors];
  if (!all.length || target.fieldValidation === "Ignore") return object;
  if (target.fieldValidation === "Strict") throw patchInvalid(body, formatStrictErrors(all));
  for (const text of all) target.call.request.warnings.add(text);
  return object;
}

function decode(target: PatchTarget, patched: Json, body: PatchedBody): Decoded {
  try {
    const parsed = claimBody({ value: patched, duplicates: [], floatLiterals: body.floatLiterals });
    const fault = target.call.resource.custom && isObject(patched) ? undefined : kindFault(target.call.core, fillClaim(parsed, target.kind), target.kind);
    if (fault) throw new BodyError(fault);
    return target.codec.decode(parsed);
  } catch (error) {
    if (error instanceof BodyError) throw patchInvalid(body, error.message);
    throw isApiStatusError(error) ? patchInvalid(body, error.cause instanceof Error ? error.cause.message : error.message) : error;
  }
}

/** 422 in nobody's name, as upstream gives it. */
function patchInvalid({ shown }: PatchedBody, why: string): ApiStatusError {
  return invalidError({ group: "", kind: "" }, "", [{ type: "FieldValueInvalid", field: "patch", body: `Invalid value: ${shown}: ${why}` }]);
}
