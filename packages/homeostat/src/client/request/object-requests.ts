// One pure function per verb: converts typed arguments to a request.
// Upstream: meta/v1 GetOptions, ListOptions, CreateOptions, UpdateOptions, PatchOptions,
// DeleteOptions.
import type { JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import type { ObjectKey } from "../../api/object-meta.ts";
import type {
  ApiRequest,
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListPageOptions,
  Patch,
  Selection,
  WatchOptions,
  WriteOptions,
} from "../client.ts";
import { describeValue } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { collectionPath, objectPath } from "./object-path.ts";

const patchTypes = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
} as const;

/** A write's options with the field manager filled in. */
export type ManagedWrite = WriteOptions & { readonly fieldManager?: string | undefined };

export function getRequest(kind: Kind, key: ObjectKey, options: GetOptions): ApiRequest {
  return {
    method: "GET",
    path: objectPath(kind, key, options.subresource),
    query: { resourceVersion: options.resourceVersion },
  };
}

export function listRequest(kind: Kind, options: ListPageOptions): ApiRequest {
  const { limit, resourceVersion, resourceVersionMatch } = options;
  return {
    method: "GET",
    path: collectionPath(kind, options.namespace),
    query: {
      ...selectors(options),
      limit: limit || undefined,
      continue: options.continue,
      resourceVersion,
      resourceVersionMatch,
    },
  };
}

export function watchRequest(kind: Kind, options: WatchOptions): ApiRequest {
  const { resourceVersion, resourceVersionMatch, sendInitialEvents, timeoutSeconds } = options;
  return {
    method: "GET",
    path: collectionPath(kind, options.namespace),
    query: {
      watch: true,
      ...selectors(options),
      resourceVersion,
      resourceVersionMatch:
        resourceVersionMatch ?? (sendInitialEvents === undefined ? undefined : "NotOlderThan"),
      allowWatchBookmarks: options.allowWatchBookmarks || undefined,
      sendInitialEvents,
      timeoutSeconds,
    },
  };
}

/**
 * Requests metadata only: lists as PartialObjectMetadataList, gets and watches as
 * PartialObjectMetadata. Servers without support send whole objects.
 * Upstream: k8s.io/client-go/metadata/metadata.go.
 */
export function askForMetadata(request: ApiRequest, form: "list" | "object"): ApiRequest {
  const kind = form === "list" ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return {
    ...request,
    headers: {
      ...request.headers,
      accept: `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`,
    },
  };
}

export function createRequest(
  kind: Kind,
  key: { readonly name?: string | undefined; readonly namespace?: string | undefined },
  body: JsonObject,
  options: ManagedWrite,
): ApiRequest {
  const path = options.subresource
    ? objectPath(kind, { name: key.name ?? "", namespace: key.namespace }, options.subresource)
    : collectionPath(kind, key.namespace);
  return { method: "POST", path, query: writeQuery(options), body };
}

export function updateRequest(
  kind: Kind,
  key: ObjectKey,
  body: JsonObject,
  options: ManagedWrite,
): ApiRequest {
  return {
    method: "PUT",
    path: objectPath(kind, key, options.subresource),
    query: writeQuery(options),
    body,
  };
}

export function patchRequest(
  kind: Kind,
  key: ObjectKey,
  patch: Patch,
  options: ManagedWrite,
): ApiRequest {
  const path = objectPath(kind, key, options.subresource);
  const type: unknown = (patch as Patch | undefined | null)?.type;
  if (typeof type !== "string" || !Object.hasOwn(patchTypes, type))
    throw new HomeostatError(
      "ERR_CLIENT_REQUEST",
      `PATCH ${path}: expected a patch of type merge, strategic or json, got ${describeValue(type)}`,
      { hint: 'Pass { type: "merge", body: { … } }.' },
    );
  return {
    method: "PATCH",
    path,
    query: writeQuery(options),
    headers: { "content-type": patchTypes[patch.type] },
    body: patch.body as JsonObject,
  };
}

export function applyRequest(
  kind: Kind,
  key: ObjectKey,
  body: JsonObject,
  options: ApplyOptions & ManagedWrite,
): ApiRequest {
  return {
    method: "PATCH",
    path: objectPath(kind, key, options.subresource),
    query: { ...writeQuery(options), force: options.force || undefined },
    headers: { "content-type": "application/apply-patch+yaml" },
    body,
  };
}

export function deleteRequest(kind: Kind, key: ObjectKey, options: DeleteOptions): ApiRequest {
  return { method: "DELETE", path: objectPath(kind, key), body: deleteBody(options) };
}

export function deleteCollectionRequest(
  kind: Kind,
  options: DeleteOptions & Selection,
): ApiRequest {
  if (kind.scope === "Namespaced" && !options.namespace)
    throw new HomeostatError(
      "ERR_CLIENT_NAMESPACE",
      `building a request to delete a collection of ${kind.kind}: the kind is namespaced and no namespace was given`,
      { hint: "Pass { namespace }: API servers delete those of one namespace at a time." },
    );
  return {
    method: "DELETE",
    path: collectionPath(kind, options.namespace),
    query: selectors(options),
    body: deleteBody(options),
  };
}

function selectors(options: Selection): {
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
} {
  return {
    labelSelector: options.labelSelector || undefined,
    fieldSelector: options.fieldSelector || undefined,
  };
}

function writeQuery({
  dryRun,
  fieldManager,
  fieldValidation,
}: ManagedWrite): NonNullable<ApiRequest["query"]> {
  return { fieldManager, fieldValidation, dryRun };
}

function deleteBody(options: DeleteOptions): JsonObject {
  const body: JsonObject = { kind: "DeleteOptions", apiVersion: "v1" };
  if (options.preconditions) body["preconditions"] = { ...options.preconditions };
  if (options.propagationPolicy) body["propagationPolicy"] = options.propagationPolicy;
  if (options.gracePeriodSeconds !== undefined)
    body["gracePeriodSeconds"] = options.gracePeriodSeconds;
  if (options.dryRun) body["dryRun"] = [options.dryRun];
  return body;
}
