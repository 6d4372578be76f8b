// The last step of a write: commits bytes and attributes, then runs the resource's `committed` hook
// before the response is sent.
import type { JsonObject } from "homeostat/api";
import { isStoreConflict } from "../../storage/store-errors.ts";
import type { Encoded, Revision } from "../../storage/store.ts";
import type { CoreServices } from "../scope/core-services.ts";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { versionsOf } from "../managed-fields/field-managers.ts";
import { attributesOf } from "../revisions/attributes.ts";
import { encodeObjectBytes, parseStored } from "../revisions/stored-json.ts";
import type { Result } from "../response/object-response.ts";
import { type Live, throughStorage, toStored } from "./hub.ts";

/** A resource and the store of its server. */
export interface StoreScope {
  readonly core: Pick<CoreServices, "store"> &
    Partial<Pick<CoreServices, "catalog" | "conversions">>;
  readonly resource: ServedResource;
  /** The request behind the write. */
  readonly request?: { readonly isTimedOut: boolean };
}

/** Stores `hub` over the live object; a dry run only returns it. Undefined on a conflict. */
export async function commitUpdate(
  scope: StoreScope,
  live: Live,
  hub: JsonObject,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Result | undefined> {
  if (dryRun) return { object: await throughStorage(scope.resource, hub) };
  const revision = await commitObject(scope, live.revision.key, live.revision, hub);
  return revision === "conflict" ? undefined : { revision };
}

/**
 * Stores a new state over `expected`, or as a new object. Sets the object's resourceVersion, and
 * drops the selfLink that a body may have.
 */
export async function commitObject(
  { core, resource, request }: StoreScope,
  key: string,
  expected: Revision | undefined,
  hub: JsonObject,
): Promise<Revision | "conflict"> {
  delete metadataOf(hub).selfLink;
  resource.codec.redefault?.(hub);
  const stored = await toStored(resource, hub);
  assertInTime(request);
  const outcome = await settled(
    core.store.commit(key, expected?.revision ?? 0, (revision) =>
      encodeFitting(resource, key, stored, revision),
    ),
  );
  if (outcome !== "conflict" && resource.codec.remote) convertForOthers(core, resource, outcome);
  if (outcome !== "conflict")
    await resource.committed?.(stored, expected ? parseStored(expected.bytes) : null);
  return outcome;
}

/** Upstream's etcd client refuses to write for a request that is over. */
function assertInTime(request: StoreScope["request"]): void {
  if (request?.isTimedOut) throw plainError("context deadline exceeded");
}

/**
 * Every version converts a change at once, as upstream's watch caches do; failures show when
 * someone asks.
 */
function convertForOthers(
  { catalog, conversions }: Partial<CoreServices>,
  resource: ServedResource,
  revision: Revision,
): void {
  if (catalog && conversions)
    for (const version of versionsOf(catalog, resource))
      conversions.cached(version, revision).catch(() => {});
}

/**
 * Removes an object; the DELETED event carries its last state with the resourceVersion of the
 * deletion.
 */
export async function commitRemoval(
  { core, resource, request }: StoreScope,
  expected: Revision,
): Promise<Revision | "conflict"> {
  assertInTime(request);
  const last = parseStored(expected.bytes);
  const lastState = (revision: number): Encoded => {
    metadataOf(last).resourceVersion = String(revision);
    return {
      bytes: encodeObjectBytes(last, resource.codec.encodeStored),
      attributes: expected.attributes,
      schemaEpoch: expected.schemaEpoch,
    };
  };
  const outcome = await settled(
    core.store.commit(expected.key, expected.revision, () => null, lastState),
  );
  if (outcome !== "conflict") await resource.committed?.(null, last);
  return outcome;
}

/**
 * The limits of etcd's server and of its client on one request. Upstream: etcd
 * server/embed/config.go (DefaultMaxRequestBytes), client/v3/options.go.
 */
const maxRequestBytes = 1.5 * 1024 * 1024;
const maxSendBytes = 2 * 1024 * 1024;
/** Room for the parts of the request around key and value. */
const envelopeBytes = 64;

/**
 * Upstream's etcd refuses large objects; such a write is tried once more without managedFields,
 * which may be the large part.
 */
function encodeFitting(
  resource: ServedResource,
  key: string,
  stored: JsonObject,
  revision: number,
): Encoded {
  const encoded = encodeAt(resource, stored, revision);
  if (resource.storedSize === "unlimited" || requestBytes(key, encoded) <= maxRequestBytes)
    return encoded;
  delete metadataOf(stored).managedFields;
  const bare = encodeAt(resource, stored, revision);
  const bytes = requestBytes(key, bare);
  if (bytes <= maxRequestBytes) return bare;
  throw plainError(
    bytes > maxSendBytes
      ? `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${bytes} vs. ${maxSendBytes})`
      : "etcdserver: request is too large",
  );
}

/** The request holds the key twice: to compare and to write. */
const requestBytes = (key: string, { bytes }: Encoded): number =>
  bytes.length + 2 * key.length + envelopeBytes;

function encodeAt(resource: ServedResource, stored: JsonObject, revision: number): Encoded {
  metadataOf(stored).resourceVersion = String(revision);
  return {
    bytes: encodeObjectBytes(stored, resource.codec.encodeStored),
    attributes: attributesOf(resource, stored),
    schemaEpoch: resource.schemaEpoch,
  };
}

/** A conflict is reported at once, or after the preceding write has been acknowledged. */
async function settled(outcome: Promise<Revision> | "conflict"): Promise<Revision | "conflict"> {
  if (outcome === "conflict") return outcome;
  try {
    return await outcome;
  } catch (error) {
    if (isStoreConflict(error)) return "conflict";
    throw error;
  }
}
