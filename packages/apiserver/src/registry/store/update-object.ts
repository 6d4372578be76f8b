// The loop through which stored objects change: read, transform, admit, prepare, validate, compare,
// commit, and again on a conflict. A change without effect is not written.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go (Update),
// pkg/storage/etcd3/store.go (GuaranteedUpdate).
import { equalJson, isApiStatusError, type JsonObject } from "homeostat/api";
import { ignoreManagedFieldsTimestamps } from "../../merge/managedfields/ignore-timestamps.ts";
import {
  conflictError,
  invalidError,
  notFoundError,
  optimisticLockError,
  plainError,
} from "../../apimachinery/errors/api-errors.ts";
import type { Result } from "../response/object-response.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { writeContextOf } from "../scope/write-context-of.ts";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import {
  finalizersOf,
  gracePeriodSecondsOf,
  isDeleting,
  metadataOf,
  metaString,
} from "../../apimachinery/meta/read-meta.ts";
import { dedupeOwnerReferences } from "../../apimachinery/meta/owner-references.ts";
import { formatWriteOptions, type WriteOptions } from "../options/write-options.ts";
import { parseResourceVersion } from "../read/resource-version.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Reservation, Strategy } from "../../apimachinery/rest/strategy.ts";
import { requestedKey } from "../revisions/storage-key.ts";
import { parseStored } from "../revisions/stored-json.ts";
import { isShownAsStored } from "../revisions/representations.ts";
import { admitMutating, admitValidating } from "./admit.ts";
import { beforeUpdate } from "./before-update.ts";
import { commitRemoval, commitUpdate } from "./commit.ts";
import { strategyAt } from "../managed-fields/field-managers.ts";
import { fromHub, type Live, openLive, toHub, toStored } from "./hub.ts";
import { insertObject } from "./insert-object.ts";

/** How an object is to change. */
export interface Change {
  readonly options: WriteOptions;
  /** A missing object is created: by applies, and for kinds that allow it. */
  readonly mayCreate: boolean;
  /** The uid that the object must have; undefined when it does not matter. */
  readonly uid: string | undefined;
  /**
   * The new object in the version of the request, managedFields included; called once for each
   * attempt.
   */
  transform(live: JsonObject | undefined): JsonObject | Promise<JsonObject>;
  /** Where admission and `transform` have another object in the place of the stored one. */
  readonly standIn?: StandIn;
}

/** What stands for an object at an endpoint: the Scale of its parent. Mutates no argument. */
export interface StandIn {
  /** As mutating admission sees the stored object. */
  ofLive(live: JsonObject): JsonObject;
  /** As validating admission sees an object. */
  of(object: JsonObject): JsonObject;
  /** The object after a change of what stands for it. */
  restore(changed: JsonObject, live: JsonObject): JsonObject;
}

/** The outcome of a change. */
export interface Outcome {
  readonly status: 200 | 201;
  readonly result: Result;
}

/** Attempts before a write that keeps meeting conflicts fails. */
const maxAttempts = 1000;

/** Changes the object that `scope` names. */
export async function updateObject(scope: RequestScope, change: Change): Promise<Outcome> {
  const { core, resource, namespace, name } = scope;
  const key = requestedKey(resource, namespace, name);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const revision = core.store.latest(key);
    if (!revision && !change.mayCreate) throw notFoundError(resource, name);
    const live = revision && (await openLive(core, resource, revision, "kept"));
    const next = await rechecked(scope, live, () => {
      assertUid(scope, { uid: change.uid, dryRun: change.options.dryRun }, live?.object);
      return admitted(scope, change, live);
    });
    if (!live) {
      const result = await insertFirst(scope, next, change.options, key);
      if (result) return { status: 201, result };
      continue;
    }
    const result = await replace(scope, change, live, toHub(resource, next));
    if (result) return { status: 200, result };
  }
  throw optimisticLockError(resource, name);
}

/** Creates the object; undefined when another request has done so meanwhile. */
async function insertFirst(
  scope: RequestScope,
  object: JsonObject,
  options: WriteOptions,
  key: string,
): Promise<Result | undefined> {
  try {
    return await insertObject(scope, object, options, "update");
  } catch (error) {
    const isTaken = isApiStatusError(error) && error.status.reason === "AlreadyExists";
    if (isTaken && scope.core.store.latest(key)) return undefined;
    throw error;
  }
}

/**
 * A failure on an object that was converted before counts only if the object can still be
 * converted: upstream then reads it anew.
 */
async function rechecked<T>(
  { core: { conversions }, resource }: RequestScope,
  live: Live | undefined,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (live && conversions.needed(resource, live.revision))
      await conversions.fresh(resource, live.revision);
    throw error;
  }
}

async function admitted(
  scope: RequestScope,
  { options, transform, standIn }: Change,
  live: Live | undefined,
): Promise<JsonObject> {
  const next = await scope.core.fieldManagers.settle(scope.resource, () => transform(live?.object));
  await admitMutating(scope, () => ({
    operation: live ? "UPDATE" : "CREATE",
    object: next,
    old: live && standIn ? standIn.ofLive(live.object) : live?.object,
    dryRun: options.dryRun,
    options: formatWriteOptions(options, live ? "UpdateOptions" : "CreateOptions"),
  }));
  dedupeOwnerReferences(next, " after mutating admission happens", (text) =>
    scope.request.warnings.add(text),
  );
  const whole = live && standIn ? standIn.restore(next, live.object) : next;
  scope.resource.codec.settle?.(whole);
  return whole;
}

const shown = (
  standIn: StandIn | undefined,
  object: JsonObject,
  old: JsonObject,
): { readonly object: JsonObject; readonly old: JsonObject } =>
  standIn ? { object: standIn.of(object), old: standIn.of(old) } : { object, old };

/** Prepares, validates and stores `hub` in the place of `live`; undefined on a conflict. */
async function replace(
  scope: RequestScope,
  { options, standIn }: Change,
  live: Live,
  hub: JsonObject,
): Promise<Result | undefined> {
  const { resource, subresource } = scope;
  const strategy = strategyAt(resource, subresource?.name ?? "");
  const context = writeContextOf(scope, options.dryRun);
  let reserved: Reservation | undefined;
  try {
    const next = await rechecked(scope, live, async () => {
      settleResourceVersion(scope, strategy, hub, live);
      reserved = strategy.reserve?.(hub, live.hub, context);
      beforeUpdate(scope, strategy, { hub, old: live.hub, context });
      const settled = ignoreManagedFieldsTimestamps(hub, live.hub);
      await admitValidating(scope, () => ({
        operation: "UPDATE",
        ...shown(standIn, fromHub(resource, settled), live.object),
        dryRun: options.dryRun,
        options: formatWriteOptions(options, "UpdateOptions"),
      }));
      return settled;
    });
    if (!options.dryRun) delete metadataOf(next).selfLink;
    if (isFinished(strategy, next, live.hub)) return await finish(scope, next, live, options);
    if (equalJson(next, live.hub) && (await isStoredSo(scope.resource, next, live)))
      return { revision: live.revision };
    return await commitUpdate(scope, live, next, options);
  } finally {
    reserved?.release();
  }
}

/**
 * Without a resourceVersion, if the strategy allows that, the newest state is meant; otherwise it
 * must be the newest.
 */
function settleResourceVersion(
  { resource, name }: RequestScope,
  strategy: Strategy,
  hub: JsonObject,
  live: Live,
): void {
  const text = metaString(hub, "resourceVersion");
  const parsed = parseResourceVersion(text);
  if ("fault" in parsed)
    throw plainError(
      `strconv.ParseUint: parsing ${quoteGo(text)}: ${parsed.fault.slice(parsed.fault.lastIndexOf(": ") + 2)}`,
    );
  if (parsed.revision === 0 && strategy.allowUnconditionalUpdate)
    metadataOf(hub).resourceVersion = String(live.revision.revision);
  else if (parsed.revision === 0)
    throw invalidError({ group: resource.group, kind: resource.resource }, name, [
      fieldError.invalid("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  else if (parsed.revision !== live.revision.revision) throw optimisticLockError(resource, name);
}

/**
 * Equal objects may be stored differently: another version lacks some fields, a later schema drops
 * or defaults them, and a new object may lack defaults.
 */
const isStoredSo = async (
  resource: ServedResource,
  next: JsonObject,
  live: Live,
): Promise<boolean> =>
  !(resource.createdAs === "undefaulted" && live.revision.created === live.revision.revision) &&
  (isShownAsStored(resource, live.revision) ||
    equalJson(await toStored(resource, next), parseStored(live.revision.bytes)));

/** True if the change removes the last obstacle to a deletion that has begun. */
function isFinished(strategy: Strategy, next: JsonObject, old: JsonObject): boolean {
  return (
    isDeleting(old) &&
    finalizersOf(next).length === 0 &&
    gracePeriodSecondsOf(old) === 0 &&
    !strategy.deletion?.holds(next)
  );
}

/** Removes the object; the response shows the change, the event the state before. */
async function finish(
  scope: RequestScope,
  next: JsonObject,
  live: Live,
  options: WriteOptions,
): Promise<Result | undefined> {
  if (!options.dryRun && (await commitRemoval(scope, live.revision)) === "conflict")
    return undefined;
  return { object: fromHub(scope.resource, next) };
}

function assertUid(
  { resource, namespace, name }: RequestScope,
  { uid, dryRun }: { readonly uid: string | undefined; readonly dryRun: boolean },
  live: JsonObject | undefined,
): void {
  const found = live ? metaString(live, "uid") : "";
  if (uid === undefined || uid === found) return;
  // Only etcd's keys have the prefix, which a dry run never reaches.
  const root = dryRun ? "" : "/registry";
  const path = [root, resource.etcdPrefix, ...(namespace ? [namespace] : []), name].join("/");
  throw conflictError(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${path}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`,
  );
}
