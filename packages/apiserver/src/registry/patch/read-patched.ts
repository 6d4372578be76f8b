// Decodes a patched object as a body; an object that cannot be decoded is answered 422.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go (applyPatchToCurrentObject,
// applyPatchToObject).
import {
  type ApiStatusError,
  compareBytewise,
  encodeJson,
  formatOverflow,
  type GroupVersionKind,
  isApiStatusError,
  type JsonObject,
  type ParsedJson,
} from "homeostat/api";
import { internalError, invalidError } from "../../apimachinery/errors/api-errors.ts";
import { fillClaim, internalKindFault, kindFault } from "../body/claimed-kind.ts";
import { BodyError, claimBody, type ParsedBody } from "../body/parse-body.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { type FieldValidation, formatStrictErrors } from "../body/read-object.ts";
import type {
  DecodeResult,
  DecodeSource,
  VersionCodec,
} from "../../apimachinery/rest/version-codec.ts";
import type { RequestScope } from "../scope/request-scope.ts";

/** The endpoint of a patch. */
export interface PatchTarget {
  readonly scope: RequestScope;
  readonly kind: GroupVersionKind;
  readonly codec: VersionCodec;
  readonly fieldValidation: FieldValidation;
}

/** A patch that has been read, ready for any number of attempts. */
export type DocumentPatch = (live: JsonObject) => JsonObject;

/** What error messages and strict checks need beside the object. */
export interface PatchedBody {
  /** The patched object, or the patch, as messages print it: dear, and only for refusals. */
  readonly shown: () => string;
  /** Strict errors of the patch itself. */
  readonly strictErrors: readonly string[];
  readonly source: DecodeSource;
  /** The patched document in upstream's order, which tells the first of several faults. */
  readonly readAgain?: () => ParsedJson;
  /** Rewrites a message of the decoder. */
  readonly reword?: (why: string) => string;
}

/** Decodes `patched` and takes it over. Throws 422. */
export function readPatched(
  target: PatchTarget,
  patched: ParsedJson,
  body: PatchedBody,
): JsonObject {
  const { codec } = target;
  const { object, strictErrors, emptied } = decode(target, patched, body);
  target.scope.request.emptied = emptied;
  if (codec.typeMeta === "required" && !object.apiVersion)
    throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  // Upstream's converter sorts what it complains about, and a merged document has sorted keys.
  const all = [
    ...body.strictErrors,
    ...(codec.goType === "struct" ? strictErrors.toSorted(compareBytewise) : strictErrors),
  ];
  if (!all.length || target.fieldValidation === "Ignore") return object;
  if (target.fieldValidation === "Strict") throw patchInvalid(body, formatStrictErrors(all));
  for (const text of all) target.scope.request.warnings.add(text);
  return object;
}

function decode(target: PatchTarget, patched: ParsedJson, body: PatchedBody): DecodeResult {
  try {
    return decodeOnce(target, patched, body);
  } catch (error) {
    if (!isDecodeError(error)) throw error;
    const { readAgain, ...last } = body;
    if (readAgain) return decode(target, readAgain(), last);
    const why = error.cause instanceof Error ? error.cause.message : error.message;
    throw patchInvalid(body, body.reword?.(why) ?? why);
  }
}

const isDecodeError = (error: unknown): error is Error =>
  error instanceof BodyError || isApiStatusError(error);

function decodeOnce(
  target: PatchTarget,
  patched: ParsedJson,
  { source }: PatchedBody,
): DecodeResult {
  const { codec } = target;
  const parsed = claimBody(patched);
  assertClaim(target, parsed);
  if (parsed.overflow !== undefined && codec.goType === "unstructured")
    throw new BodyError(formatOverflow(parsed.overflow));
  return parsed.apiVersion || codec.typeMeta === "required"
    ? codec.decode(parsed, source)
    : decodeUnversioned(parsed.value);
}

/** A required kind may change, for validation to refuse, but must be present. */
function assertClaim({ scope, kind, codec }: PatchTarget, parsed: ParsedBody): void {
  if (codec.typeMeta === "required") {
    if (!parsed.kind)
      throw new BodyError(`Object 'Kind' is missing in '${encodeJson(parsed.value)}'`);
    return;
  }
  const claim = fillClaim(parsed, kind);
  const fault = parsed.apiVersion
    ? kindFault(scope.core, claim, kind)
    : internalKindFault(scope.core, claim.kind, kind);
  if (fault) throw new BodyError(fault);
}

/** Without an apiVersion upstream decodes into its internal type, which has no JSON names. */
function decodeUnversioned(value: JsonObject): DecodeResult {
  const unknown = Object.keys(value).filter((field) => field !== "kind" && field !== "apiVersion");
  return {
    object: {},
    strictErrors: unknown.sort(compareBytewise).map((field) => `unknown field ${quoteGo(field)}`),
  };
}

/** 422 without a kind and a name, as upstream gives it. */
function patchInvalid({ shown }: PatchedBody, why: string): ApiStatusError {
  return invalidError({ group: "", kind: "" }, "", [
    { type: "FieldValueInvalid", field: "patch", body: `Invalid value: ${shown()}: ${why}` },
  ]);
}
