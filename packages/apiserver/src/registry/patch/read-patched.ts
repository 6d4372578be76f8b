// A patched object, read as a body would be: what does not fit is the patch's fault, and 422.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (applyPatchToCurrentObject,
// applyPatchToObject).
import {
  type ApiStatusError,
  compareBytewise,
  encodeJson,
  isApiStatusError,
  type Json,
  type JsonObject,
  type ParsedJson,
} from "homeostat/api";
import { internalError, invalidError } from "../../apimachinery/errors/api-errors.ts";
import { fillClaim, kindFault } from "../body/claimed-kind.ts";
import { BodyError, claimBody, type ParsedBody } from "../body/parse-body.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { formatStrictErrors } from "../body/read-object.ts";
import type { DecodeResult } from "../../apimachinery/rest/version-codec.ts";
import type { PatchTarget } from "./patch-target.ts";

/** What error messages and strict checks need beside the object. */
export interface PatchedBody {
  /** The patched object, or the patch, as messages print it. */
  readonly shown: string;
  /** What the patch itself is to be blamed for. */
  readonly strictErrors: readonly string[];
  readonly floatLiterals: ParsedJson["floatLiterals"];
  /** Says what the decoder says in other words. */
  readonly reword?: (why: string) => string;
}

/** Decodes `patched`, which is taken over. Throws 422. */
export function readPatched(target: PatchTarget, patched: Json, body: PatchedBody): JsonObject {
  const { object, strictErrors } = decode(target, patched, body);
  if (isCustom(target) && !object.apiVersion)
    throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  // Upstream's converter sorts what it complains about, and a merged document has sorted keys.
  const all = [
    ...body.strictErrors,
    ...(isCustom(target) ? strictErrors : strictErrors.toSorted(compareBytewise)),
  ];
  if (!all.length || target.fieldValidation === "Ignore") return object;
  if (target.fieldValidation === "Strict") throw patchInvalid(body, formatStrictErrors(all));
  for (const text of all) target.call.request.warnings.add(text);
  return object;
}

function decode(target: PatchTarget, patched: Json, body: PatchedBody): DecodeResult {
  try {
    const parsed = claimBody({ value: patched, duplicates: [], floatLiterals: body.floatLiterals });
    assertClaim(target, parsed);
    return parsed.apiVersion || isCustom(target)
      ? target.codec.decode(parsed)
      : decodeUnversioned(parsed.value);
  } catch (error) {
    if (error instanceof BodyError) throw patchInvalid(body, error.message);
    if (!isApiStatusError(error)) throw error;
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    throw patchInvalid(body, body.reword?.(why) ?? why);
  }
}

/** A custom object itself, and not its Scale. */
const isCustom = ({ call, kind }: Pick<PatchTarget, "call" | "kind">): boolean =>
  call.resource.custom && kind.group === call.resource.group;

/**
 * What a patch must leave alone: a custom object's kind may change, for validation to refuse, but
 * must be there.
 */
function assertClaim({ call, kind }: PatchTarget, parsed: ParsedBody): void {
  if (isCustom({ call, kind })) {
    if (!parsed.kind)
      throw new BodyError(`Object 'Kind' is missing in '${encodeJson(parsed.value)}'`);
    return;
  }
  const fault = kindFault(call.core, fillClaim(parsed, kind), kind);
  if (fault) throw new BodyError(fault);
}

/**
 * Without an apiVersion upstream decodes into its internal type, which knows none of the names that
 * JSON uses.
 */
function decodeUnversioned(value: JsonObject): DecodeResult {
  const unknown = Object.keys(value).filter((field) => field !== "kind" && field !== "apiVersion");
  return {
    object: {},
    strictErrors: unknown.sort(compareBytewise).map((field) => `unknown field ${quoteGo(field)}`),
  };
}

/** 422 in nobody's name, as upstream gives it. */
function patchInvalid({ shown }: PatchedBody, why: string): ApiStatusError {
  return invalidError({ group: "", kind: "" }, "", [
    { type: "FieldValueInvalid", field: "patch", body: `Invalid value: ${shown}: ${why}` },
  ]);
}
