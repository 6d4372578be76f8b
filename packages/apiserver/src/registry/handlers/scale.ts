// The scale subresource: writes of a Scale change its parent's replicas and their field owners.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/deployment/storage/storage.go (ScaleREST),
// k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go (ScaleREST).
import {
  cloneJson,
  type Decoded,
  formatApiVersion,
  isApiStatusError,
  type Json,
  type JsonObject,
} from "homeostat/api";
import type { ManagedFieldsEntry } from "homeostat/k8s/meta/v1";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { createFieldManager, type FieldManager } from "../../merge/managedfields/field-manager.ts";
import type { FieldManagerOptions } from "../../merge/managedfields/field-manager-options.ts";
import { managerOrUserAgent } from "../../merge/managedfields/manager-name.ts";
import { MergeError } from "../../merge/fieldpath/merge-error.ts";
import {
  type ReplicasPaths,
  toParentManagedFields,
  toScaleManagedFields,
} from "../../merge/managedfields/scale-managed-fields.ts";
import { converted, scaleResponse } from "../response/object-response.ts";
import { badRequestError, conflictError, failure } from "../../apimachinery/errors/api-errors.ts";
import { readObject } from "../body/read-object.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { matchName, matchNamespace } from "../../apimachinery/meta/match-namespace.ts";
import { metadataOf, metaList, metaString } from "../../apimachinery/meta/read-meta.ts";
import { readPatchOptions, readWriteOptions, type WriteOptions } from "../options/write-options.ts";
import { readApplyPatch } from "../patch/patch-apply.ts";
import { readDocumentPatch } from "../patch/patch-document.ts";
import { readPatchType } from "../patch/patch-type.ts";
import type { ScaleSubresource } from "../../apimachinery/rest/subresource.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import { versionsOf } from "../managed-fields/field-managers.ts";
import { updateObject } from "../store/update-object.ts";

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

/** A change of the Scale that stands for the object. */
interface ScaleChange {
  readonly options: WriteOptions;
  /** The uid in the body of a PUT; "" if it states none. */
  readonly uid: string;
  next(scale: JsonObject): JsonObject;
}

/** PUT. */
export async function replaceScale(
  scope: RequestScope,
  endpoint: ScaleSubresource,
): Promise<ApiResponse> {
  const codec = codecOf(scope);
  const options = readWriteOptions("UpdateOptions", scope.request.query);
  const body = checked(scope, await readScale(scope, endpoint, codec, options));
  const manager = scaleFieldManager(endpoint, codec);
  const name = managerNameOf(scope, options);
  return await changeScale(scope, endpoint, {
    options,
    uid: metaString(body, "uid"),
    next: (scale) => manager.update(scale, cloneJson(body), name, scope.request.now),
  });
}

async function readScale(
  scope: RequestScope,
  { scheme }: ScaleSubresource,
  codec: VersionCodec,
  { fieldValidation }: WriteOptions,
): Promise<JsonObject> {
  try {
    return await readObject(scope, scaleKind, codec, fieldValidation);
  } catch (error) {
    // The error would name a type that the scheme lacks.
    const isUnnamed =
      scheme === "lacks Scale" && isApiStatusError(error) && error.status.code === 400;
    if (!isUnnamed) throw error;
    throw badRequestError(
      'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
    );
  }
}

/** PATCH. */
export async function patchScale(
  scope: RequestScope,
  endpoint: ScaleSubresource,
): Promise<ApiResponse> {
  const codec = codecOf(scope);
  const type = readPatchType(scope);
  const options = readPatchOptions(scope.request.query, type);
  scope.request.audit?.takePatch(scope.request.api.body);
  const manager = scaleFieldManager(endpoint, codec);
  if (type === "application/apply-patch+yaml") {
    const next = await readApplyPatch(scope, manager, options);
    return await changeScale(scope, endpoint, { options, uid: "", next });
  }
  const { fieldValidation } = options;
  const patch = readDocumentPatch({ scope, kind: scaleKind, codec, fieldValidation }, type);
  const name = managerNameOf(scope, options);
  return await changeScale(scope, endpoint, {
    options,
    uid: "",
    next: (scale) => manager.update(scale, patch(scale), name, scope.request.now),
  });
}

function managerNameOf({ request }: RequestScope, { fieldManager }: WriteOptions): string {
  return managerOrUserAgent(fieldManager, request.api.headers["user-agent"] ?? "");
}

async function changeScale(
  scope: RequestScope,
  { scale, uidCheck }: ScaleSubresource,
  { options, uid, next }: ScaleChange,
): Promise<ApiResponse> {
  const { core, resource } = scope;
  const paths = replicasPaths(scope);
  const of = (object: JsonObject): JsonObject =>
    scale.toScaleForUpdate?.(object) ?? scale.toScale(object);
  const ofLive = (live: JsonObject): JsonObject => {
    const before = of(live);
    setManagedFields(before, toScaleManagedFields(metaList(live, "managedFields"), paths));
    return before;
  };
  const updated = await updateObject(scope, {
    options,
    mayCreate: false,
    uid: uidCheck === "store" && uid !== "" ? uid : undefined,
    transform: (live) => checked(scope, next(ofLive(live!))),
    standIn: {
      ofLive,
      of,
      restore(after, live) {
        if (uidCheck === "endpoint") assertSameUid(scope, after, live);
        const parent = cloneJson(live);
        scale.applyScale(parent, after);
        return withMetadata(scope, parent, after, paths);
      },
    },
  });
  const result = await converted(scope, updated.result);
  const parent =
    "revision" in result ? core.representations.object(resource, result.revision) : result.object;
  return await scaleResponse(scope, scale.toScale(parent));
}

function checked({ resource, name, namespace }: RequestScope, scale: JsonObject): JsonObject {
  matchNamespace(scale, resource.namespaced ? namespace : "");
  matchName(scale, name);
  return scale;
}

function assertSameUid(
  { resource: { group, resource }, name }: RequestScope,
  scale: JsonObject,
  live: JsonObject,
): void {
  const uid = metaString(scale, "uid");
  const found = metaString(live, "uid");
  if (uid && uid !== found)
    throw conflictError(
      { group, resource: `${resource}/scale` },
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`,
    );
}

/** Moves the resourceVersion and the owners of replicas from the Scale to its parent. */
function withMetadata(
  { resource }: RequestScope,
  parent: JsonObject,
  scale: JsonObject,
  paths: ReplicasPaths,
): JsonObject {
  // Without a resourceVersion the newest state is meant, which a strategy may demand by number.
  const newest = resource.strategy.allowUnconditionalUpdate
    ? ""
    : metaString(parent, "resourceVersion");
  metadataOf(parent).resourceVersion = metaString(scale, "resourceVersion") || newest;
  const managedFields = toParentManagedFields(
    metaList(parent, "managedFields"),
    metaList(scale, "managedFields"),
    paths,
    formatApiVersion(resource),
  );
  setManagedFields(parent, managedFields);
  return parent;
}

function setManagedFields(object: JsonObject, entries: Json[] | undefined): void {
  if (entries?.length) metadataOf(object).managedFields = entries as Decoded<ManagedFieldsEntry>[];
  else delete metadataOf(object).managedFields;
}

/** The path of replicas in each version. */
function replicasPaths({ core, resource }: RequestScope): ReplicasPaths {
  return new Map(
    versionsOf(core.catalog, resource).map((each) => {
      const endpoint = each.subresources.get("scale");
      return [
        formatApiVersion(each),
        endpoint?.at === "scale"
          ? endpoint.scale.replicasPath.map((step) => step.replace(/^f:/, ""))
          : null,
      ];
    }),
  );
}

function codecOf({ core, resource }: RequestScope): VersionCodec {
  if (core.scaleCodec) return core.scaleCodec;
  throw failure(
    501,
    "NotImplemented",
    `scale ${resource.resource}: this server has no codec for autoscaling/v1 Scale`,
  );
}

function scaleFieldManager({ scheme }: ScaleSubresource, codec: VersionCodec): FieldManager {
  const manager: FieldManagerOptions = {
    ...scaleKind,
    subresource: "scale",
    unknownVersions: "drop",
    typeOf: (apiVersion) => (apiVersion === "autoscaling/v1" ? codec.smd : undefined),
    convert: (object) => object,
    empty: () => codec.empty?.() ?? { apiVersion: "autoscaling/v1", kind: "Scale" },
    complete: (merged) =>
      codec.decode({ value: merged, duplicates: [], floatLiterals: new Map() }, "unstructured")
        .object,
    resetFields: new Map(),
  };
  return createFieldManager(scheme === "lacks Scale" ? { ...manager, ...inconvertible } : manager);
}

/** Without Scale in the scheme an apply works only if it changes nothing. */
const inconvertible: Pick<FieldManagerOptions, "empty" | "complete"> = {
  empty: () => {
    throw new MergeError(
      "failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1",
    );
  },
  complete: () => {
    throw new MergeError("request to convert CR to an invalid group/version: autoscaling/v1");
  },
};
