// Applies the patch of a mutating webhook: the result is decoded and defaulted again.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go
// (callAttrMutatingHook).
import {
  encodeJson,
  formatApiVersion,
  type GroupVersionKind,
  isApiStatusError,
  type JsonObject,
  parseApiVersion,
  parseJson,
  type ParsedJson,
} from "homeostat/api";
import { internalError, plainError } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import {
  decodeJsonPatch,
  type JsonPatchBody,
  JsonPatchError,
  patchJson,
} from "../../merge/patch/json-patch.ts";
import { printLiterals } from "../../merge/patch/number-literals.ts";
import { notRegistered } from "../../registry/body/claimed-kind.ts";
import { BodyError, claimBody } from "../../registry/body/parse-body.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import { kindOf } from "../matching/equivalent-resources.ts";
import { otherKind, otherKindFault, resourceOfKind } from "../matching/stated-kind.ts";
import { codecOf, type VersionedObjects } from "../matching/versioned-objects.ts";
import type { AdmissionResponse } from "./admission-response.ts";
import { WebhookCallError } from "./webhook-errors.ts";

/** The call that returned a patch. */
export interface PatchTarget {
  readonly webhook: string;
  readonly request: AdmissionRequest;
  readonly catalog: ResourceCatalog;
}

/** The object after the patch; undefined without one. Throws what upstream answers. */
export function patchedObject(
  target: PatchTarget,
  { resource, object }: VersionedObjects,
  { patch, patchType }: AdmissionResponse,
): JsonObject | undefined {
  const { webhook } = target;
  const body = patch ? readPatch(webhook, patch) : undefined;
  if (!body?.operations.length) return undefined;
  if (!object)
    throw internalError(
      `admission webhook ${quoteGo(webhook)} attempted to modify the object, which is not supported for this operation`,
    );
  if (patchType !== "JSONPatch")
    throw new WebhookCallError(webhook, `unsupported patch type ${quoteGo(patchType)}`);
  return decode(resource, target, apply(object, body));
}

function readPatch(webhook: string, patch: string): JsonPatchBody {
  try {
    return decodeJsonPatch(patch, "Ignore");
  } catch (error) {
    if (!isApiStatusError(error)) throw error;
    throw new WebhookCallError(
      webhook,
      `received undecodable patch in webhook response: ${error.message}`,
    );
  }
}

function apply(object: JsonObject, { operations, isMarked }: JsonPatchBody): ParsedJson {
  try {
    const value = patchJson(object, operations);
    return isMarked
      ? parseJson(printLiterals(encodeJson(value)), { overflow: "kept" })
      : { value, duplicates: [], floatLiterals: new Map() };
  } catch (error) {
    throw error instanceof JsonPatchError ? internalError(error.message) : error;
  }
}

function decode(
  resource: ServedResource,
  { request, catalog }: PatchTarget,
  patched: ParsedJson,
): JsonObject {
  const kind = kindOf(resource, request.subresource);
  let other: GroupVersionKind | undefined;
  try {
    const body = claimBody(patched);
    if (!body.kind && resource.codec.goType === "unstructured")
      throw new BodyError(`Object 'Kind' is missing in '${encodeJson(body.value)}'`);
    if (body.apiVersion && !parseApiVersion(body.apiVersion))
      throw new BodyError(`unexpected GroupVersion string: ${body.apiVersion}`);
    other = resource.codec.goType === "struct" ? otherKind(kind, body.value) : undefined;
    const codec = other
      ? codecOfOther(other, catalog)
      : codecOf(resource, request.subresource, request.object?.kind);
    const object = codec ? codec.decode(body).object : body.value;
    if (!other) return object;
  } catch (error) {
    if (error instanceof BodyError) throw internalError(error.message);
    if (!isApiStatusError(error)) throw error;
    throw internalError(error.cause instanceof Error ? error.cause.message : error.message);
  }
  throw plainError(otherKindFault(other, kind));
}

/** A patched object is decoded as what it states, even where that cannot be converted then. */
function codecOfOther(other: GroupVersionKind, catalog: ResourceCatalog): VersionCodec {
  const found = resourceOfKind(catalog, other);
  if (!found) throw new BodyError(notRegistered(other.kind, formatApiVersion(other)));
  return found.codec;
}
