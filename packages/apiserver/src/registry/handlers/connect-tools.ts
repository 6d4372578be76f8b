// The tools of connect handlers: change stored objects as the server itself, delete the parent,
// read other kinds.
import { cloneJson, type JsonObject } from "homeostat/api";
import { uuid } from "homeostat/runtime";
import {
  conflictError,
  notFoundError,
  optimisticLockError,
} from "../../apimachinery/errors/api-errors.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { deleteStored } from "./delete.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import type { ConnectTools } from "../../apimachinery/rest/connecter.ts";
import type { DeleteOptions } from "../../apimachinery/rest/delete-options.ts";
import { findResource, findStored } from "../scope/find-stored.ts";
import { assertName, storageKeyOf, storagePrefixOf } from "../revisions/storage-key.ts";
import { parseStored } from "../revisions/stored-json.ts";
import { commitObject } from "../store/commit.ts";

const maxAttempts = 100;
/** The field manager of the server's own changes. */
const ownManager = "kube-apiserver";

/** What the server itself deletes is not admitted. */
const noAdmission = { mutating: [], validating: [] } as const;

/** The tools for one request. */
export function createConnectTools(scope: RequestScope): ConnectTools {
  const { core, request, resource, namespace, name } = scope;
  return {
    query: (field) => request.query.first(field),
    integer: (field) => request.query.integer(field),
    overwrite: async (change, options) => await overwrite(scope, change, options),
    async overwriteOther(kind, otherName, change, options) {
      const other = findResource(scope, kind);
      if (!other) throw notFoundError(kind, otherName);
      const target = { ...scope, resource: other, name: otherName };
      await overwrite(target, change, { ...options, tracked: "status" });
    },
    async remove(options: DeleteOptions) {
      const unadmitted = { ...scope, core: { ...core, admission: noAdmission } };
      await deleteStored(unadmitted, storageKeyOf(resource, namespace, name), options);
    },
    list(kind) {
      const other = findResource(scope, kind);
      const listing = other && core.store.list(storagePrefixOf(other, namespace));
      return typeof listing === "object"
        ? [...listing.items].map((revision) => parseStored(revision.bytes))
        : [];
    },
    find(kind, otherName) {
      assertName(otherName);
      return findStored(scope, kind, otherName);
    },
    audit: request.audit,
    tokens: core.tokens,
    newUid: () => uuid(core.runtime.entropy),
  };
}

interface OverwriteOptions {
  readonly dryRun: boolean;
  readonly uid?: string;
  /** The subresource whose field manager records the change. */
  readonly tracked?: string;
}

async function overwrite(
  scope: RequestScope,
  change: (object: JsonObject) => void,
  { dryRun, uid, tracked }: OverwriteOptions,
): Promise<void> {
  const { core, resource, namespace, name, request } = scope;
  const key = storageKeyOf(resource, namespace, name);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const revision = core.store.latest(key);
    if (!revision) throw notFoundError(resource, name);
    const live = core.representations.object(resource, revision);
    const object = cloneJson(live);
    const found = metaString(object, "uid");
    if (uid && uid !== found)
      throw conflictError(
        resource,
        name,
        `StorageError: invalid object, Code: 4, Key: ${dryRun ? "" : "/registry"}${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${found}`,
      );
    change(object);
    const next =
      tracked === undefined
        ? object
        : core.fieldManagers.of(resource, tracked).update(live, object, ownManager, request.now);
    if (dryRun || (await commitObject(scope, key, revision, next)) !== "conflict") return;
  }
  throw optimisticLockError(resource, name);
}
