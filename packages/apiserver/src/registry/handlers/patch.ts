// PATCH, in any of the four patch types.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { managerOrUserAgent } from "../../merge/managedfields/manager-name.ts";
import { resultResponse } from "../response/object-response.ts";
import { conflictError, notFoundError } from "../../apimachinery/errors/api-errors.ts";
import { bodyOf } from "../body/request-body.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { matchName, matchNamespace } from "../../apimachinery/meta/match-namespace.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import { readPatchOptions, type WriteOptions } from "../options/write-options.ts";
import { readApplyPatch } from "../patch/patch-apply.ts";
import { readDocumentPatch } from "../patch/patch-document.ts";
import type { DocumentPatch, PatchTarget } from "../patch/read-patched.ts";
import { type PatchType, readPatchType } from "../patch/patch-type.ts";
import { emptyObject } from "../managed-fields/field-managers.ts";
import { type Change, updateObject } from "../store/update-object.ts";

/** Patches the object, or its subresource. */
export async function patchObject(scope: RequestScope): Promise<ApiResponse> {
  const type = readPatchType(scope);
  const options = readPatchOptions(scope.request.query, type);
  scope.request.audit?.takePatch(scope.request.api.body);
  const transform = await readPatch(scope, type, options);
  const isApply = type === "application/apply-patch+yaml";
  const { status, result } = await updateObject(scope, {
    options,
    mayCreate: isApply && !scope.subresource,
    uid: undefined,
    transform: (live) => checked(scope, transform(live), live),
  });
  return await resultResponse(scope, status, result);
}

async function readPatch(
  scope: RequestScope,
  type: PatchType,
  options: WriteOptions,
): Promise<(live: JsonObject | undefined) => JsonObject> {
  const { core, request, resource, subresource } = scope;
  const fieldManager = core.fieldManagers.of(resource, subresource?.name ?? "");
  if (type === "application/apply-patch+yaml") {
    const patch = await readApplyPatch(scope, fieldManager, options);
    return (live) => patch(live ?? emptyObject(resource));
  }
  // Upstream refuses a large body first, and a malformed one after it has found the object.
  bodyOf(request);
  let patch: DocumentPatch | undefined;
  const manager = managerOrUserAgent(options.fieldManager, request.api.headers["user-agent"] ?? "");
  return (live) => {
    if (!live) throw notFoundError(resource, scope.name);
    patch ??= readDocumentPatch(targetOf(scope, options), type);
    return fieldManager.update(live, patch(live), manager, request.now);
  };
}

function targetOf(scope: RequestScope, { fieldValidation }: WriteOptions): PatchTarget {
  const endpoint =
    scope.subresource?.endpoint.at === "store" ? scope.subresource.endpoint : undefined;
  return {
    scope,
    kind: endpoint?.kind ?? scope.resource,
    codec: endpoint?.codec ?? scope.resource.codec,
    fieldValidation,
  };
}

/** Asserts that the patched object is still the one in the path. */
function checked(
  scope: RequestScope,
  next: JsonObject,
  live: JsonObject | undefined,
): ReturnType<Change["transform"]> {
  const { resource, name, namespace } = scope;
  const uid = metaString(next, "uid");
  if (uid && !live)
    throw conflictError(
      resource,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  matchNamespace(next, resource.namespaced ? namespace : "");
  matchName(next, name);
  return next;
}
