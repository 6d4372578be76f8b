// The field manager of each endpoint, created when first needed over the codec and strategy of a
// served resource.
import {
  cloneJson,
  formatApiVersion,
  type GroupVersionKind,
  type JsonObject,
  parseApiVersion,
} from "homeostat/api";
import { createFieldManager, type FieldManager } from "../../merge/managedfields/field-manager.ts";
import type { TakeEmptied } from "../../merge/managedfields/field-manager-options.ts";
import { MergeError } from "../../merge/fieldpath/merge-error.ts";
import { unstructuredFault } from "../../merge/strategicpatch/unstructured-fault.ts";
import { PendingConversions } from "./pending-conversions.ts";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";

/** The field managers of one server. */
export interface FieldManagers {
  /** For the main endpoint (`subresource` "") or a subresource. */
  of(resource: ServedResource, subresource: string): FieldManager;
  /** Runs `work` with field managers, as often as conversions by webhooks have to come first. */
  settle<T>(resource: ServedResource, work: () => T | Promise<T>): Promise<T>;
}

/** Creates them over a catalog. */
export function createFieldManagers(catalog: ResourceCatalog): FieldManagers {
  const pending = new WeakMap<ServedResource, PendingConversions>();
  const pendingOf = (resource: ServedResource): PendingConversions | undefined => {
    const { remote } = resource.codec;
    if (remote && !pending.has(resource))
      pending.set(resource, new PendingConversions(remote.convert));
    return pending.get(resource);
  };
  const kept = new WeakMap<
    ServedResource,
    { readonly epoch: number; readonly bySubresource: Map<string, FieldManager> }
  >();
  return {
    of(resource, subresource) {
      let entry = kept.get(resource);
      // If a version has been added or removed, entries in it may convert differently.
      if (!entry || entry.epoch !== catalog.epoch)
        kept.set(resource, (entry = { epoch: catalog.epoch, bySubresource: new Map() }));
      let manager = entry.bySubresource.get(subresource);
      if (!manager)
        entry.bySubresource.set(
          subresource,
          (manager = create({ catalog, resource, subresource, pending: pendingOf(resource) })),
        );
      return manager;
    },
    settle: async (resource, work) => await (pendingOf(resource)?.settle(work) ?? work()),
  };
}

/** For the body of a subresource, such as a TokenRequest, which has one version and no history. */
export function createBodyManager(
  kind: GroupVersionKind,
  codec: VersionCodec,
  subresource: string,
): FieldManager {
  const apiVersion = formatApiVersion(kind);
  return createFieldManager({
    ...kind,
    subresource,
    typeOf: (version) => (version === apiVersion ? codec.smd : undefined),
    unknownVersions: "drop",
    convert: (object) => object,
    empty: () => codec.empty?.() ?? { apiVersion, kind: kind.kind },
    complete: (merged) => merged,
    resetFields: new Map(),
  });
}

/** An object of this version with nothing set. */
export function emptyObject(resource: ServedResource): JsonObject {
  return (
    resource.codec.empty?.() ?? { apiVersion: formatApiVersion(resource), kind: resource.kind }
  );
}

/** The resource's other versions and itself, by apiVersion. */
export function versionsOf(
  catalog: ResourceCatalog,
  resource: ServedResource,
): readonly ServedResource[] {
  return catalog
    .all()
    .filter(
      (each) =>
        each === resource ||
        (each.storageKey === resource.storageKey && each.kind === resource.kind),
    );
}

interface Endpoint {
  readonly catalog: ResourceCatalog;
  readonly resource: ServedResource;
  readonly subresource: string;
  /** Of a resource that a webhook converts. */
  readonly pending: PendingConversions | undefined;
}

/**
 * Upstream's field managers know the versions of their own group; entries of another one (events)
 * are dropped.
 */
function create({ catalog, resource, subresource, pending }: Endpoint): FieldManager {
  const versionAt = (apiVersion: string): ServedResource | undefined => {
    const gv = parseApiVersion(apiVersion);
    if (gv?.group === resource.group && gv.version === resource.version) return resource;
    return gv && gv.group === resource.group
      ? versionsOf(catalog, resource).find(
          (each) => each.group === gv.group && each.version === gv.version,
        )
      : undefined;
  };
  return createFieldManager({
    group: resource.group,
    version: resource.version,
    kind: resource.kind,
    subresource,
    typeOf: (apiVersion) => versionAt(apiVersion)?.codec.smd,
    unknownVersions: resource.managedFields.unknownVersions,
    convert: (object, apiVersion) =>
      pending?.converted(object, apiVersion) ?? convert(object, resource, versionAt, apiVersion),
    empty: () => emptyObject(resource),
    complete: (merged, takeEmptied) =>
      resource.codec.complete?.(merged) ?? convertMerged(resource, merged, takeEmptied),
    resetFields: new Map(
      versionsWithResets(catalog, resource, subresource).map((each) => [
        formatApiVersion(each),
        resetFieldsOf(strategyAt(each, subresource)),
      ]),
    ),
  });
}

/** Upstream converts without JSON here, so its messages for a value of a wrong type differ. */
function convertMerged(
  { codec, group, version, kind }: ServedResource,
  merged: JsonObject,
  takeEmptied: TakeEmptied | undefined,
): JsonObject {
  const fault = codec.patchMeta && unstructuredFault(codec.patchMeta, merged);
  if (fault)
    throw new MergeError(
      `unable to convert unstructured object to ${group}/${version}, Kind=${kind}: ${fault}`,
    );
  const content = { value: merged, duplicates: [], floatLiterals: new Map() };
  const { object, emptied } = codec.decode(content, "unstructured");
  takeEmptied?.(emptied);
  return object;
}

/** The versions whose resetFields hold; writes through other versions then own the status too. */
const versionsWithResets = (
  catalog: ResourceCatalog,
  resource: ServedResource,
  subresource: string,
): readonly ServedResource[] =>
  resource.managedFields.resetVersions === "request version" && !subresource
    ? [resource]
    : versionsOf(catalog, resource);

/** Converts through the storage version. */
function convert(
  object: JsonObject,
  resource: ServedResource,
  versionAt: (apiVersion: string) => ServedResource | undefined,
  apiVersion: string,
): JsonObject {
  const from =
    (typeof object.apiVersion === "string" ? versionAt(object.apiVersion) : undefined) ?? resource;
  const to = versionAt(apiVersion);
  if (!to) throw new MergeError(`${apiVersion} is not served`);
  // Without pruning, fields that the other version lacks do not fit its type.
  if (resource.managedFields.conversion === "apiVersion only") return { ...object, apiVersion };
  return to.codec.fromStorage(from.codec.toStorage(cloneJson(object)));
}

/** The strategy of an endpoint. */
export function strategyAt(resource: ServedResource, subresource: string): Strategy {
  const endpoint = subresource ? resource.subresources.get(subresource) : undefined;
  return endpoint?.at === "store" ? endpoint.strategy : resource.strategy;
}

const resetFieldsOf = (strategy: Strategy): readonly (readonly string[])[] =>
  strategy.resetFields.map((path) => path.map((step) => step.replace(/^f:/, "")));
