// The version in which strategies work: the storage version for built-ins, the request's own for
// custom resources.
import { cloneJson, type JsonObject } from "homeostat/api";
import type { Revision } from "../../storage/store.ts";
import type { CoreServices } from "../scope/core-services.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { parseStored } from "../revisions/stored-json.ts";

/**
 * A stored object in the two forms that a write needs; one and the same where versions do not
 * differ.
 */
export interface Live {
  readonly revision: Revision;
  /** In the version of the request. Nobody may mutate it. */
  readonly object: JsonObject;
  /** As strategies see it. Nobody may mutate it. */
  readonly hub: JsonObject;
}

/** Both forms of a revision. */
export function openLive(core: CoreServices, resource: ServedResource, revision: Revision): Live {
  const object = core.views.object(resource, revision);
  const hub =
    resource.custom || resource.codec.storageIdentity ? object : parseStored(revision.bytes);
  return { revision, object, hub };
}

/** The request's object for its strategy; takes over the argument. */
export function toHub(resource: ServedResource, object: JsonObject): JsonObject {
  return resource.custom || resource.codec.storageIdentity
    ? object
    : resource.codec.toStorage(object);
}

/** The strategy's object in the version of the request; the argument stays as it is. */
export function fromHub(resource: ServedResource, hub: JsonObject): JsonObject {
  return resource.custom || resource.codec.storageIdentity
    ? hub
    : resource.codec.fromStorage(cloneJson(hub));
}

/** The strategy's object as it is stored; the argument stays as it is. */
export function toStored(resource: ServedResource, hub: JsonObject): JsonObject {
  return resource.custom && !resource.codec.storageIdentity
    ? resource.codec.toStorage(cloneJson(hub))
    : hub;
}
