// POST: creates an object.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/create.go,
// pkg/registry/generic/registry/store.go (Create).
import { cloneJson, isApiStatusError, type JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { managerOrUserAgent } from "../../merge/managedfields/manager-name.ts";
import { resultResponse, transformedResponse, type Result } from "../response/object-response.ts";
import { forbiddenError } from "../../apimachinery/errors/api-errors.ts";
import { readObject } from "../body/read-object.ts";
import { readContentType } from "../body/request-body.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { createThrough } from "./connect.ts";
import { dedupeOwnerReferences } from "../../apimachinery/meta/owner-references.ts";
import { matchNamespace } from "../../apimachinery/meta/match-namespace.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import { wipeSystemFields } from "../../apimachinery/meta/system-fields.ts";
import {
  formatWriteOptions,
  readWriteOptions,
  type WriteOptions,
} from "../options/write-options.ts";
import { admitMutating, admitValidating } from "../store/admit.ts";
import type { ReviewHandler } from "../../apimachinery/rest/review.ts";
import { emptyObject } from "../managed-fields/field-managers.ts";
import { insertObject } from "../store/insert-object.ts";

const maxNameAttempts = 8;

/** Creates the object in the body. */
export async function createObject(scope: RequestScope): Promise<ApiResponse> {
  const { request, resource } = scope;
  readContentType(request.api.headers["content-type"] ?? "");
  const options = readWriteOptions("CreateOptions", request.query);
  const object = await readObject(scope, resource, resource.codec, options.fieldValidation);
  wipeSystemFields(object);
  matchNamespace(object, resource.namespaced ? scope.namespace : "");
  if (!resource.creatable)
    throw forbiddenError(
      { group: resource.group, resource: resource.resource },
      metaString(object, "name"),
      "create not allowed while custom resource definition is terminating",
    );
  if (resource.createsThrough)
    return await createThrough(scope, resource.createsThrough, object, options);
  if (resource.review) return await answerReview(scope, resource.review, object, options);
  return await resultResponse(
    scope,
    201,
    await insertNamed(scope, await admitNew(scope, object, options), options),
  );
}

/** Reviews pass admission as other objects do; what is stored of them is nothing. */
async function answerReview(
  scope: RequestScope,
  review: ReviewHandler,
  object: JsonObject,
  options: WriteOptions,
): Promise<ApiResponse> {
  const { core, request } = scope;
  const posted = await admitNew(scope, object, options);
  await admitValidating(scope, () => ({
    operation: "CREATE",
    object: posted,
    old: undefined,
    dryRun: options.dryRun,
    options: formatWriteOptions(options),
    name: scope.name || metaString(posted, "name"),
  }));
  const answered = await review(posted, {
    user: request.user,
    namespace: scope.namespace,
    now: request.now,
    reviewToken: core.reviewToken,
    ...core.authorization,
  });
  return await transformedResponse(scope, 201, answered);
}

/** Adds managedFields, and runs the mutating admission steps. */
async function admitNew(
  scope: RequestScope,
  object: JsonObject,
  options: WriteOptions,
): Promise<JsonObject> {
  const warn = (text: string): void => scope.request.warnings.add(text);
  dedupeOwnerReferences(object, "", warn);
  const next = await scope.core.fieldManagers.settle(scope.resource, () =>
    tracked(scope, object, options),
  );
  await admitMutating(scope, () => ({
    operation: "CREATE",
    object: next,
    old: undefined,
    dryRun: options.dryRun,
    options: formatWriteOptions(options),
    name: scope.name || metaString(next, "name"),
  }));
  dedupeOwnerReferences(next, " after mutating admission happens", warn);
  scope.resource.codec.settle?.(next);
  return next;
}

function tracked(
  { core, request, resource }: RequestScope,
  object: JsonObject,
  options: WriteOptions,
): JsonObject {
  const manager = managerOrUserAgent(options.fieldManager, request.api.headers["user-agent"] ?? "");
  return core.fieldManagers
    .of(resource, "")
    .update(emptyObject(resource), object, manager, request.now);
}

/** Generates another name if one is taken. */
async function insertNamed(
  scope: RequestScope,
  object: JsonObject,
  options: WriteOptions,
): Promise<Result> {
  if (metaString(object, "name") || !metaString(object, "generateName"))
    return await insertObject(scope, object, options, "create");
  for (let attempt = 1; ; attempt++) {
    try {
      return await insertObject(scope, cloneJson(object), options, "create");
    } catch (error) {
      if (
        attempt === maxNameAttempts ||
        !isApiStatusError(error) ||
        error.status.reason !== "AlreadyExists"
      )
        throw error;
    }
  }
}
