// The hub: the version in which strategies see objects (ResourceTraits.hub), between the version of
// the request and the storage version.
import { cloneJson, type JsonObject } from "homeostat/api";
import type { Revision } from "../../storage/store.ts";
import type { CoreServices } from "../scope/core-services.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { parseStored } from "../revisions/stored-json.ts";

/** A stored object in the two forms that a write needs; identical if the versions do not differ. */
export interface Live {
  readonly revision: Revision;
  /** In the version of the request. Must not be mutated. */
  readonly object: JsonObject;
  /** In the hub version. Must not be mutated. */
  readonly hub: JsonObject;
}

/** Both forms of a revision. */
export function openLive(core: CoreServices, resource: ServedResource, revision: Revision): Live {
  const object = core.representations.object(resource, revision);
  const hub = isHubStored(resource) ? parseStored(revision.bytes) : object;
  return { revision, object, hub };
}

/** Converts the request's object to the hub version; takes over the argument. */
export function toHub(resource: ServedResource, object: JsonObject): JsonObject {
  return isHubStored(resource) ? resource.codec.toStorage(object) : object;
}

/** Converts from the hub version to the version of the request; does not change the argument. */
export function fromHub(resource: ServedResource, hub: JsonObject): JsonObject {
  return isHubStored(resource) ? resource.codec.fromStorage(cloneJson(hub)) : hub;
}

/** Converts from the hub version to the storage version; does not change the argument. */
export function toStored(resource: ServedResource, hub: JsonObject): JsonObject {
  return resource.hub === "request version" && !resource.codec.storageIdentity
    ? resource.codec.toStorage(cloneJson(hub))
    : hub;
}

/** True if the hub is the storage version and differs from the version of the request. */
const isHubStored = ({ hub, codec }: ServedResource): boolean =>
  hub === "storage version" && !codec.storageIdentity;
