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

/**
 * Both forms of a revision. What a webhook has to convert may be `kept` from before, as updates
 * start from upstream's watch cache, or is converted anew.
 */
export function openLive(
  core: CoreServices,
  resource: ServedResource,
  revision: Revision,
  conversion: "kept" | "fresh",
): Live | Promise<Live> {
  if (core.conversions.needed(resource, revision))
    return openConverted(core, resource, revision, conversion);
  const object = core.representations.object(resource, revision);
  const hub = isHubStored(resource) ? parseStored(revision.bytes) : object;
  return { revision, object, hub };
}

async function openConverted(
  { conversions, representations }: CoreServices,
  resource: ServedResource,
  revision: Revision,
  conversion: "kept" | "fresh",
): Promise<Live> {
  const shown =
    conversion === "kept"
      ? await conversions.cached(resource, revision)
      : await conversions.fresh(resource, revision);
  const object = representations.object(resource, shown);
  return { revision, object, hub: object };
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
export function toStored(
  resource: ServedResource,
  hub: JsonObject,
): JsonObject | Promise<JsonObject> {
  const { hub: version, codec, storageVersion } = resource;
  if (version !== "request version" || codec.storageIdentity) return hub;
  return codec.remote && hub.apiVersion !== storageVersion
    ? codec.remote.toStorage(cloneJson(hub))
    : codec.toStorage(cloneJson(hub));
}

/**
 * What a read would return once `hub` was stored: a dry run encodes and decodes it, too. Upstream:
 * k8s.io/apiserver/pkg/registry/generic/registry/dryrun.go (copyInto).
 */
export async function throughStorage(
  resource: ServedResource,
  hub: JsonObject,
): Promise<JsonObject> {
  const { codec } = resource;
  codec.redefault?.(hub);
  if (resource.hub !== "request version" || codec.storageIdentity) return fromHub(resource, hub);
  const stored = await toStored(resource, hub);
  return codec.remote && stored.apiVersion !== hub.apiVersion
    ? await codec.remote.fromStorage(cloneJson(stored))
    : codec.fromStorage(cloneJson(stored));
}

/** True if the hub is the storage version and differs from the version of the request. */
const isHubStored = ({ hub, codec }: ServedResource): boolean =>
  hub === "storage version" && !codec.storageIdentity;
