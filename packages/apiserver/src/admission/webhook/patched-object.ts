// Applies the patch of a mutating webhook: the result is decoded and defaulted again.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/mutating/dispatcher.go
// (callAttrMutatingHook).
import { encodeJson, isApiStatusError, type Json, type JsonObject } from "homeostat/api";
import { internalError } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import {
  decodeJsonPatch,
  JsonPatchError,
  type JsonPatchOperation,
  patchJson,
} from "../../merge/patch/json-patch.ts";
import { BodyError, claimBody } from "../../registry/body/parse-body.ts";
import { codecOf, type VersionedObjects } from "../matching/versioned-objects.ts";
import type { AdmissionResponse } from "./admission-response.ts";
import { WebhookCallError } from "./webhook-errors.ts";

/** The object after the patch; undefined without one. Throws what upstream answers. */
export function patchedObject(
  webhook: string,
  request: AdmissionRequest,
  { resource, object }: VersionedObjects,
  { patch, patchType }: AdmissionResponse,
): JsonObject | undefined {
  const operations = patch ? readOperations(webhook, patch) : [];
  if (!operations.length) return undefined;
  if (!object)
    throw internalError(
      `admission webhook ${quoteGo(webhook)} attempted to modify the object, which is not supported for this operation`,
    );
  if (patchType !== "JSONPatch")
    throw new WebhookCallError(webhook, `unsupported patch type ${quoteGo(patchType)}`);
  return decode(resource, request, apply(object, operations));
}

function readOperations(webhook: string, patch: string): readonly JsonPatchOperation[] {
  try {
    return decodeJsonPatch(patch, "Ignore").operations;
  } catch (error) {
    if (!isApiStatusError(error)) throw error;
    throw new WebhookCallError(
      webhook,
      `received undecodable patch in webhook response: ${error.message}`,
    );
  }
}

function apply(object: JsonObject, operations: readonly JsonPatchOperation[]): Json {
  try {
    return patchJson(object, operations);
  } catch (error) {
    throw error instanceof JsonPatchError ? internalError(error.message) : error;
  }
}

function decode(resource: ServedResource, request: AdmissionRequest, patched: Json): JsonObject {
  try {
    const body = claimBody({ value: patched, duplicates: [], floatLiterals: new Map() });
    if (!body.kind && resource.codec.goType === "unstructured")
      throw new BodyError(`Object 'Kind' is missing in '${encodeJson(body.value)}'`);
    const codec = codecOf(resource, request.subresource, request.object?.kind);
    return codec ? codec.decode(body).object : body.value;
  } catch (error) {
    if (error instanceof BodyError) throw internalError(error.message);
    if (!isApiStatusError(error)) throw error;
    throw internalError(error.cause instanceof Error ? error.cause.message : error.message);
  }
}
