// Stores a new object: from POST, from apply, and from PUT to kinds that allow it.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go (create),
// pkg/storage/etcd3/store.go (Create).
import { ApiStatusError, type JsonObject } from "homeostat/api";
import { refusal } from "../../apimachinery/refusal.ts";
import { alreadyExistsError, failure, plainError } from "../../apimachinery/errors/api-errors.ts";
import type { Result } from "../response/object-response.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { writeContextOf } from "../scope/write-context-of.ts";
import { fillSystemFields, generateName } from "../../apimachinery/meta/system-fields.ts";
import { metadataOf, metaString } from "../../apimachinery/meta/read-meta.ts";
import { formatWriteOptions, type WriteOptions } from "../options/write-options.ts";
import { parseResourceVersion } from "../read/resource-version.ts";
import { strategyAt } from "../managed-fields/field-managers.ts";
import { storageKeyOf } from "../revisions/storage-key.ts";
import { admitValidating } from "./admit.ts";
import { beforeCreate } from "./before-create.ts";
import { commitObject } from "./commit.ts";
import { fromHub, throughStorage, toHub } from "./hub.ts";

/** The method that creates: only POST refuses a resourceVersion in the body. */
export type Origin = "create" | "update";

/**
 * Prepares, validates, admits and stores `object`, which is taken over. Throws 409 when the name is
 * taken.
 */
export async function insertObject(
  scope: RequestScope,
  object: JsonObject,
  options: WriteOptions,
  origin: Origin,
): Promise<Result> {
  const { core, resource, request } = scope;
  fillSystemFields(object, request.now, core.runtime.entropy);
  const metadata = metadataOf(object);
  const generated =
    !metadata.name && typeof metadata.generateName === "string" && metadata.generateName !== "";
  if (generated)
    metadata.name = generateName(metadata.generateName as string, core.runtime.entropy);
  const hub = toHub(resource, object);
  const reserved = strategyAt(resource, "").reserve?.(
    hub,
    undefined,
    writeContextOf(scope, options.dryRun),
  );
  try {
    return await storeNew(scope, hub, options, origin);
  } finally {
    reserved?.release();
  }
}

async function storeNew(
  scope: RequestScope,
  hub: JsonObject,
  options: WriteOptions,
  origin: Origin,
): Promise<Result> {
  const { core, resource } = scope;
  beforeCreate(scope, strategyAt(resource, ""), hub, writeContextOf(scope, options.dryRun));
  const name = metaString(hub, "name");
  if (origin === "update") authorizeCreation(scope);
  await admitValidating(scope, () => ({
    operation: "CREATE",
    object: fromHub(resource, hub),
    old: undefined,
    dryRun: options.dryRun,
    options: formatWriteOptions(options, "CreateOptions"),
    name: scope.name || name,
  }));
  const key = storageKeyOf(resource, scope.namespace, name);
  if (options.dryRun) {
    if (core.store.latest(key)) throw nameTaken(scope, name, hub);
    return { object: await throughStorage(resource, hub) };
  }
  if (origin === "create") assertNoResourceVersion(hub);
  const revision = await commitObject(scope, key, undefined, hub);
  if (revision === "conflict") throw nameTaken(scope, name, hub);
  return { revision };
}

/**
 * The request was authorized as what it is, an update or a patch. Upstream:
 * pkg/endpoints/handlers/update.go (withAuthorization).
 */
function authorizeCreation({ core, request }: RequestScope): void {
  const attempt = { user: request.user, info: { ...request.info, verb: "create" } };
  const { allowed, reason } = core.authorization.authorize(attempt);
  if (!allowed) throw refusal(attempt, reason);
}

function assertNoResourceVersion(hub: JsonObject): void {
  const parsed = parseResourceVersion(metaString(hub, "resourceVersion"));
  if ("revision" in parsed && parsed.revision !== 0)
    throw plainError("resourceVersion should not be set on objects to be created");
}

/** 409; it says if the old object is being deleted, or if the server generated the name. */
function nameTaken(scope: RequestScope, name: string, hub: JsonObject): ApiStatusError {
  const { core, resource } = scope;
  const error = metaString(hub, "generateName")
    ? generateNameConflict(scope, name)
    : alreadyExistsError(resource, name);
  if (!core.store.latest(storageKeyOf(resource, scope.namespace, name))?.attributes.deleting)
    return error;
  return new ApiStatusError({
    ...error.status,
    message: `object is being deleted: ${error.status.message}`,
  });
}

function generateNameConflict({ resource }: RequestScope, name: string): ApiStatusError {
  const { message = "", details } = alreadyExistsError(resource, name).status;
  return failure(
    409,
    "AlreadyExists",
    `${message}, the server was not able to generate a unique name for the object`,
    { ...details, retryAfterSeconds: 1 },
  );
}
