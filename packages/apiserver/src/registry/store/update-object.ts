// The one loop through which stored objects change: read, transform, admit, prepare, validate,
// compare, commit; and again when somebody else was faster. A change that changes nothing writes
// nothing.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go (Update),
// pkg/storage/etcd3/store.go (GuaranteedUpdate).
import { equalJson, type JsonObject } from "homeostat/api";
import { ignoreManagedFieldsTimestamps } from "../../merge/managedfields/ignore-timestamps.ts";
import { runAdmission } from "../../apimachinery/rest/admission.ts";
import {
  conflictError,
  invalidError,
  notFoundError,
  plainError,
} from "../../apimachinery/errors/api-errors.ts";
import type { Result } from "../response/object-response.ts";
import { type RequestScope, writeContextOf } from "../scope/request-scope.ts";
import { invalid, quoteGo } from "../../apimachinery/errors/field-error.ts";
import {
  finalizersOf,
  isDeleting,
  metadataOf,
  metaNumber,
  metaString,
} from "../../apimachinery/meta/read-meta.ts";
import { dedupeOwnerReferences } from "../../apimachinery/meta/owner-references.ts";
import { formatWriteOptions, type WriteOptions } from "../options/write-options.ts";
import { parseResourceVersion } from "../read/resource-version.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import { requestedKey } from "../revisions/storage-key.ts";
import { parseStored } from "../revisions/stored-json.ts";
import { isShownAsStored } from "../revisions/representations.ts";
import { admissionRequestOf } from "./admission-request.ts";
import { beforeUpdate } from "./before-update.ts";
import { commitObject, commitRemoval } from "./commit.ts";
import { strategyAt } from "../managed-fields/field-managers.ts";
import { fromHub, type Live, openLive, toHub, toStored } from "./hub.ts";
import { insertObject } from "./insert-object.ts";

/** How an object is to change. */
export interface Change {
  readonly options: WriteOptions;
  /** An object that is not there is created: kinds that allow it, and applies. */
  readonly mayCreate: boolean;
  /** The uid that the object must have; undefined when it does not matter. */
  readonly uid: string | undefined;
  /**
   * The new object in the version of the request, managedFields included; called once for each
   * attempt.
   */
  transform(live: JsonObject | undefined): JsonObject | Promise<JsonObject>;
}

/** What came of it. */
export interface Outcome {
  readonly status: 200 | 201;
  readonly result: Result;
}

/** Attempts before a write gives up to those that keep coming first. */
const maxAttempts = 1000;

/** Changes the object that `scope` names. */
export async function updateObject(scope: RequestScope, change: Change): Promise<Outcome> {
  const { core, resource, namespace, name } = scope;
  const key = requestedKey(resource, namespace, name);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const revision = core.store.latest(key);
    if (!revision && !change.mayCreate) throw notFoundError(resource, name);
    const live = revision && openLive(core, resource, revision);
    assertUid(scope, change.uid, live?.object);
    const next = await admitted(scope, change, live);
    if (!live)
      return { status: 201, result: await insertObject(scope, next, change.options, "update") };
    const result = await replace(scope, change, live, toHub(resource, next));
    if (result) return { status: 200, result };
  }
  throw conflictError(
    resource,
    name,
    "the object has been modified; please apply your changes to the latest version and try again",
  );
}

async function admitted(
  scope: RequestScope,
  { options, transform }: Change,
  live: Live | undefined,
): Promise<JsonObject> {
  const next = await transform(live?.object);
  const { mutating } = scope.core.admission;
  if (mutating.length) {
    const kind = live ? "UpdateOptions" : "CreateOptions";
    await runAdmission(
      mutating,
      admissionRequestOf(scope, {
        operation: live ? "UPDATE" : "CREATE",
        object: next,
        old: live?.object,
        dryRun: options.dryRun,
        options: formatWriteOptions(options, kind),
      }),
    );
  }
  dedupeOwnerReferences(next, " after mutating admission happens", (text) =>
    scope.request.warnings.add(text),
  );
  return next;
}

/** undefined: somebody else was faster. */
async function replace(
  scope: RequestScope,
  { options }: Change,
  live: Live,
  hub: JsonObject,
): Promise<Result | undefined> {
  const { resource, subresource } = scope;
  const strategy = strategyAt(resource, subresource?.name ?? "");
  settleResourceVersion(scope, strategy, hub, live);
  const reserved = strategy.reserve?.(hub, live.hub, writeContextOf(scope, options.dryRun));
  try {
    return await store(scope, options, strategy, live, hub);
  } finally {
    reserved?.release();
  }
}

async function store(
  scope: RequestScope,
  options: WriteOptions,
  strategy: Strategy,
  live: Live,
  hub: JsonObject,
): Promise<Result | undefined> {
  const { core, resource } = scope;
  beforeUpdate(scope, strategy, hub, live.hub, writeContextOf(scope, options.dryRun));
  const next = ignoreManagedFieldsTimestamps(hub, live.hub);
  if (core.admission.validating.length) {
    await runAdmission(
      core.admission.validating,
      admissionRequestOf(scope, {
        operation: "UPDATE",
        object: fromHub(resource, next),
        old: live.object,
        dryRun: options.dryRun,
        options: formatWriteOptions(options, "UpdateOptions"),
      }),
    );
  }
  if (isFinished(strategy, next, live.hub)) return await finish(scope, next, live, options);
  if (equalJson(next, live.hub) && isStoredSo(resource, next, live))
    return { revision: live.revision };
  if (options.dryRun) return { object: fromHub(resource, next) };
  const revision = await commitObject(core, resource, live.revision.key, live.revision, next);
  return revision === "conflict" ? undefined : { revision };
}

/**
 * Without a resourceVersion the newest state is meant, where the kind allows that; with one, it
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
      invalid("metadata.resourceVersion", 0, "must be specified for an update"),
    ]);
  else if (parsed.revision !== live.revision.revision)
    throw conflictError(
      resource,
      name,
      "the object has been modified; please apply your changes to the latest version and try again",
    );
}

/**
 * What is shown may be equal where what is stored is not: another version lacks some fields, a
 * later schema drops or fills them in.
 */
const isStoredSo = (resource: ServedResource, next: JsonObject, live: Live): boolean =>
  isShownAsStored(resource, live.revision) ||
  equalJson(toStored(resource, next), parseStored(live.revision.bytes));

/** True when this change takes away the last thing that a deletion has been waiting for. */
function isFinished(strategy: Strategy, next: JsonObject, old: JsonObject): boolean {
  return (
    isDeleting(old) &&
    finalizersOf(next).length === 0 &&
    (metaNumber(old, "deletionGracePeriodSeconds") ?? 0) === 0 &&
    !strategy.deletion?.holds(next)
  );
}

/**
 * Removes the object; the answer shows what the change made of it, the event what was there before.
 */
async function finish(
  scope: RequestScope,
  next: JsonObject,
  live: Live,
  options: WriteOptions,
): Promise<Result | undefined> {
  const { core, resource } = scope;
  if (!options.dryRun && (await commitRemoval(core, resource, live.revision)) === "conflict")
    return undefined;
  return { object: fromHub(resource, next) };
}

function assertUid(
  { resource, namespace, name }: RequestScope,
  uid: string | undefined,
  live: JsonObject | undefined,
): void {
  const found = live ? metaString(live, "uid") : "";
  if (uid === undefined || uid === found) return;
  const path = `/registry/${[resource.etcdPrefix, ...(namespace ? [namespace] : []), name].join("/")}`;
  throw conflictError(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${path}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`,
  );
}
