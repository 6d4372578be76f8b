// DELETE of one object: removes it, or marks it for deletion until its finalizers are gone.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/delete.go,
// pkg/registry/generic/registry/store.go (Delete), pkg/registry/rest/delete.go.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { resultResponse, transformedResponse, type Result } from "../response/object-response.ts";
import { successStatus } from "../response/error-response.ts";
import {
  conflictError,
  notFoundError,
  optimisticLockError,
} from "../../apimachinery/errors/api-errors.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { writeContextOf } from "../scope/write-context-of.ts";
import { gracePeriodSecondsOf, isDeleting, metaString } from "../../apimachinery/meta/read-meta.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { formatDeleteOptions, readDeleteOptions } from "../options/delete-options.ts";
import type { DeleteOptions } from "../../apimachinery/rest/delete-options.ts";
import { requestedKey, splitStorageKey } from "../revisions/storage-key.ts";
import { admitMutating, type AdmittedWrite, admitValidating } from "../store/admit.ts";
import { errorKindOf } from "../store/before-create.ts";
import { commitRemoval, commitUpdate } from "../store/commit.ts";
import { type DeletionPlan, planDeletion } from "../store/deletion.ts";
import { type Live, openLive } from "../store/hub.ts";

const maxAttempts = 1000;

/** Deletes the named object. */
export async function deleteObject(scope: RequestScope): Promise<ApiResponse> {
  const options = await readDeleteOptions(scope);
  const { resource, namespace, name } = scope;
  warnOfPropagation(scope, options);
  const result = await deleteStored(scope, requestedKey(resource, namespace, name), options);
  const status = result.pending && options.orphanDependents === false ? 202 : 200;
  if (result.pending || resource.strategy.deleteReturnsObject)
    return await resultResponse(scope, status, result.shown);
  const details = {
    name,
    ...(resource.group ? { group: resource.group } : {}),
    kind: resource.resource,
    uid: metaString(result.object, "uid"),
  };
  return await transformedResponse(scope, status, successStatus(details));
}

/** Warns if the kind orphans dependents by default. */
export function warnOfPropagation(
  { request, resource }: RequestScope,
  options: DeleteOptions,
): void {
  const warning = resource.strategy.propagationWarning;
  if (warning && options.propagationPolicy === undefined && options.orphanDependents === undefined)
    request.warnings.add(warning);
}

/** The outcome of a delete. */
export interface Deleted {
  /** True if the object still exists. */
  readonly pending: boolean;
  readonly shown: Result;
  readonly object: JsonObject;
}

/** Deletes or marks the object under `key`. Throws 404, 409 and refusals of admission. */
export async function deleteStored(
  scope: RequestScope,
  key: string,
  options: DeleteOptions,
): Promise<Deleted> {
  const { core, resource } = scope;
  const { name } = splitStorageKey(key);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const revision = core.store.latest(key);
    if (!revision) throw notFoundError(resource, name);
    const live = await openLive(core, resource, revision, "fresh");
    assertPreconditions(scope, name, live.hub, options);
    const deleted = await attemptDelete(scope, name, live, options);
    if (deleted) return deleted;
  }
  throw optimisticLockError(resource, name);
}

/** Returns undefined on a conflict. */
async function attemptDelete(
  scope: RequestScope,
  name: string,
  live: Live,
  options: DeleteOptions,
): Promise<Deleted | undefined> {
  const { core, resource } = scope;
  const plan = planDeletion(resource.strategy, live.hub, options, {
    context: writeContextOf(scope, options.dryRun),
    nowMs: core.runtime.clock.now(),
  });
  if (plan.at === "pending")
    return { pending: true, shown: { revision: live.revision }, object: live.object };
  const admitted = admittedOptions(resource, live.hub, options, plan);
  await admitDelete(scope, name, live, admitted);
  const shown =
    "hub" in plan
      ? await commitUpdate(scope, live, plan.hub, options)
      : { revision: live.revision };
  if (!shown) return undefined;
  const pending = plan.at === "unchanged" || plan.at === "mark";
  if (pending || "object" in shown || options.dryRun)
    return { pending, shown, object: "object" in shown ? shown.object : live.object };
  if (plan.at === "mark, then remove")
    await admitDelete(
      scope,
      name,
      await openLive(core, resource, shown.revision, "fresh"),
      admitted,
    );
  const removal = await commitRemoval(scope, shown.revision);
  return removal === "conflict"
    ? undefined
    : { pending: false, shown: { revision: removal }, object: live.object };
}

/** The options as the registry has completed them when admission sees them. */
function admittedOptions(
  { strategy }: ServedResource,
  hub: JsonObject,
  options: DeleteOptions,
  plan: DeletionPlan,
): DeleteOptions {
  if (strategy.deletion) return { ...options, uid: options.uid ?? metaString(hub, "uid") };
  const { gracePeriodSeconds: asked } = options;
  if (strategy.gracePeriod && "hub" in plan && !isDeleting(hub))
    return { ...options, gracePeriodSeconds: gracePeriodSecondsOf(plan.hub) };
  return asked !== undefined && asked < 0 ? { ...options, gracePeriodSeconds: 1 } : options;
}

function assertPreconditions(
  { resource }: RequestScope,
  name: string,
  hub: JsonObject,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const uidFound = metaString(hub, "uid");
  const versionFound = metaString(hub, "resourceVersion");
  // Kinds with a deletion rule check before the registry, with other messages.
  if (resource.strategy.deletion) {
    if (uid !== undefined && uid !== uidFound)
      throw conflictError(
        resource,
        name,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${uidFound}`,
      );
    if (resourceVersion !== undefined && resourceVersion !== versionFound)
      throw conflictError(
        resource,
        name,
        `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${versionFound}`,
      );
    return;
  }
  const { group, kind } = errorKindOf(resource, hub);
  const byKind = { group, resource: kind };
  if (uid !== undefined && uid !== uidFound) {
    throw conflictError(
      byKind,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${uidFound}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== versionFound) {
    throw conflictError(
      byKind,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${versionFound}). The object might have been modified`,
    );
  }
}

async function admitDelete(
  scope: RequestScope,
  name: string,
  live: Live,
  options: DeleteOptions,
): Promise<void> {
  const write: AdmittedWrite = {
    operation: "DELETE",
    object: undefined,
    old: live.object,
    dryRun: options.dryRun,
    options: formatDeleteOptions(options),
    name: scope.action === "deletecollection" ? "" : name,
  };
  await admitMutating(scope, () => write);
  await admitValidating(scope, () => write);
}
