// The scale subresource: reads and writes of a Scale become changes of its parent's replicas,
// ownership included.
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
import {
  createFieldManager,
  type FieldManager,
  type FieldManagerOptions,
} from "../../merge/managedfields/field-manager.ts";
import { managerOrUserAgent } from "../../merge/managedfields/manager-name.ts";
import { MergeError } from "../../merge/fieldpath/merge-error.ts";
import {
  type ReplicasPaths,
  toParentManagedFields,
  toScaleManagedFields,
} from "../../merge/managedfields/scale-managed-fields.ts";
import { answerScale } from "../response/object-response.ts";
import { badRequestError, conflictError, failure } from "../../apimachinery/errors/api-errors.ts";
import { readObject } from "../body/read-object.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { matchName, matchNamespace } from "../../apimachinery/meta/match-namespace.ts";
import { metadataOf, metaList, metaString } from "../../apimachinery/meta/read-meta.ts";
import { readPatchOptions, readWriteOptions, type WriteOptions } from "../options/write-options.ts";
import { readIntent } from "../patch/patch-apply.ts";
import { readDocumentPatch } from "../patch/read-document-patch.ts";
import { readPatchType } from "../patch/patch-type.ts";
import type { ScaleConverter } from "../../apimachinery/rest/scale-converter.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import { versionsOf } from "../managed-fields/field-managers.ts";
import { updateObject } from "../store/update-object.ts";

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

/** What turns the present Scale into the next. */
type ScaleChange = (scale: JsonObject) => JsonObject;

/** PUT. */
export async function replaceScale(call: RequestScope, view: ScaleConverter): Promise<ApiResponse> {
  const codec = codecOf(call);
  const options = readWriteOptions("UpdateOptions", call.request.query);
  const body = await readScale(call, codec, options);
  const manager = scaleFieldManager(call, codec);
  const name = managerOrUserAgent(
    options.fieldManager,
    call.request.api.headers["user-agent"] ?? "",
  );
  return await changeScale(
    call,
    view,
    options,
    (scale) => manager.update(scale, cloneJson(body), name, call.request.now),
    metaString(body, "uid") || undefined,
  );
}

/** Upstream's endpoint for custom objects cannot name the type that it failed to read. */
async function readScale(
  call: RequestScope,
  codec: VersionCodec,
  { fieldValidation }: WriteOptions,
): Promise<JsonObject> {
  try {
    return await readObject(call, scaleKind, codec, fieldValidation);
  } catch (error) {
    const isUnreadable =
      call.resource.custom && isApiStatusError(error) && error.status.code === 400;
    throw isUnreadable
      ? badRequestError(
          'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
        )
      : error;
  }
}

/** PATCH. */
export async function patchScale(call: RequestScope, view: ScaleConverter): Promise<ApiResponse> {
  const codec = codecOf(call);
  const type = readPatchType(call);
  const options = readPatchOptions(call.request.query, type);
  const manager = scaleFieldManager(call, codec);
  if (type === "application/apply-patch+yaml")
    return await changeScale(call, view, options, await readIntent(call, manager, options));
  const patch = readDocumentPatch(
    { call, kind: scaleKind, codec, fieldValidation: options.fieldValidation },
    type,
  );
  const name = managerOrUserAgent(
    options.fieldManager,
    call.request.api.headers["user-agent"] ?? "",
  );
  return await changeScale(call, view, options, (scale) =>
    manager.update(scale, patch(scale), name, call.request.now),
  );
}

async function changeScale(
  call: RequestScope,
  view: ScaleConverter,
  options: WriteOptions,
  change: ScaleChange,
  uid?: string,
): Promise<ApiResponse> {
  const { core, resource } = call;
  const paths = replicasPaths(call);
  const { result } = await updateObject(call, {
    options,
    mayCreate: false,
    uid: resource.custom ? uid : undefined,
    transform: (live) => scaleParent(call, view, live!, change, paths),
  });
  const parent =
    "revision" in result ? core.views.object(resource, result.revision) : result.object;
  return await answerScale(call, view.toScale(parent));
}

/** The parent with the replicas of its changed Scale. */
function scaleParent(
  call: RequestScope,
  view: ScaleConverter,
  live: JsonObject,
  change: ScaleChange,
  paths: ReplicasPaths,
): JsonObject {
  const { resource, name, namespace } = call;
  const scale = view.toScaleForUpdate?.(live) ?? view.toScale(live);
  setManagedFields(scale, toScaleManagedFields(metaList(live, "managedFields"), paths));
  const next = change(scale);
  matchNamespace(next, resource.namespaced ? namespace : "");
  matchName(next, name);
  const uid = metaString(next, "uid");
  if (!resource.custom && uid && uid !== metaString(live, "uid"))
    throw conflictError(
      { group: resource.group, resource: `${resource.resource}/scale` },
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaString(live, "uid")}`,
    );
  const parent = cloneJson(live);
  view.applyScale(parent, next);
  // Without a resourceVersion a custom object keeps its own, for it would not take none; built-ins
  // mean the newest state.
  metadataOf(parent).resourceVersion =
    metaString(next, "resourceVersion") ||
    (resource.custom ? metaString(live, "resourceVersion") : "");
  setManagedFields(
    parent,
    toParentManagedFields(
      metaList(live, "managedFields"),
      metaList(next, "managedFields"),
      paths,
      formatApiVersion(resource),
    ),
  );
  return parent;
}

function setManagedFields(object: JsonObject, entries: Json[] | undefined): void {
  if (entries?.length) metadataOf(object).managedFields = entries as Decoded<ManagedFieldsEntry>[];
  else delete metadataOf(object).managedFields;
}

/** Where each version keeps its replicas. */
function replicasPaths({ core, resource }: RequestScope): ReplicasPaths {
  return new Map(
    versionsOf(core.catalog, resource).map((each) => {
      const view = each.subresources.get("scale");
      return [
        formatApiVersion(each),
        view?.at === "scale"
          ? view.scale.replicasPath.map((step) => step.replace(/^f:/, ""))
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
    `scale ${resource.resource}: this server has been made without a codec for autoscaling/v1 Scale`,
  );
}

function scaleFieldManager({ resource }: RequestScope, codec: VersionCodec): FieldManager {
  const manager: FieldManagerOptions = {
    ...scaleKind,
    subresource: "scale",
    unknownVersions: "drop",
    typeOf: (apiVersion) => (apiVersion === "autoscaling/v1" ? codec.smd : undefined),
    convert: (object) => object,
    empty: () => codec.empty?.() ?? { apiVersion: "autoscaling/v1", kind: "Scale" },
    complete: (merged) =>
      codec.decode({ value: merged, duplicates: [], floatLiterals: new Map() }).object,
    resetFields: new Map(),
  };
  return createFieldManager(resource.custom ? { ...manager, ...inconvertible } : manager);
}

/**
 * Upstream cannot read back a custom object's merged Scale, nor an empty one: an apply through it
 * works only where it changes nothing.
 */
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
