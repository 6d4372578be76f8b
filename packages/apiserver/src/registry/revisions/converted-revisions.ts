// Revisions as another version shows them, converted by a webhook. As upstream's watch caches do,
// every version keeps what it has converted, for lists, watches and the objects that updates start
// from; reads of one object convert anew.
// Upstream: k8s.io/apiserver/pkg/storage/cacher; one Store for each version of a custom resource in
// k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
import { formatApiVersion, type JsonObject } from "homeostat/api";
import type { Clock } from "homeostat/runtime";
import type { RemoteConversion } from "../../apimachinery/rest/remote-conversion.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Revision } from "../../storage/store.ts";
import { attributesOf } from "./attributes.ts";
import { encodeObjectBytes, parseStored } from "./stored-json.ts";

/** Conversions of revisions, which reject with upstream's message. */
export interface ConvertedRevisions {
  /** True if only a webhook can show this revision in this version. */
  needed(resource: ServedResource, revision: Revision): boolean;
  /** The converted revision, as kept from an earlier conversion or converted now. */
  cached(resource: ServedResource, revision: Revision): Promise<Revision>;
  /** The same, converted anew. */
  fresh(resource: ServedResource, revision: Revision): Promise<Revision>;
  /** The failure that keeps a version from being listed, and since when; undefined without one. */
  failureOf(resource: ServedResource): ConversionFailure | undefined;
  /** All of a version's revisions have been converted. */
  recovered(resource: ServedResource): void;
  /** The converted revision and the one before it, for selectors and departures. */
  withPrevious(resource: ServedResource, revision: Revision): Promise<Revision>;
}

export interface ConversionFailure {
  readonly error: unknown;
  readonly sinceMs: number;
}

/** Creates the conversions of one server. */
export function createConvertedRevisions(clock: Clock): ConvertedRevisions {
  const failures = new WeakMap<ServedResource, ConversionFailure>();
  const kept = new WeakMap<ServedResource, WeakMap<Revision, Promise<Revision>>>();
  const keptOf = (resource: ServedResource): WeakMap<Revision, Promise<Revision>> => {
    let byRevision = kept.get(resource);
    if (!byRevision) kept.set(resource, (byRevision = new WeakMap()));
    return byRevision;
  };
  const conversions: ConvertedRevisions = {
    needed: isNeeded,
    async fresh(resource, revision) {
      return isNeeded(resource, revision) ? await convert(resource, revision) : revision;
    },
    async cached(resource, revision) {
      if (!isNeeded(resource, revision)) return revision;
      const byRevision = keptOf(resource);
      let found = byRevision.get(revision);
      if (!found) {
        byRevision.set(revision, (found = convert(resource, revision)));
        found.catch((error: unknown) => {
          byRevision.delete(revision);
          const sinceMs = failures.get(resource)?.sinceMs ?? clock.monotonic();
          failures.set(resource, { error, sinceMs });
        });
      }
      return await found;
    },
    failureOf: (resource) => failures.get(resource),
    recovered: (resource) => void failures.delete(resource),
    async withPrevious(resource, revision) {
      const shown = await conversions.cached(resource, revision);
      const { previous } = revision;
      if (!previous || !resource.codec.remote) return shown;
      const before = await conversions.cached(resource, previous);
      return before === previous && shown === revision ? shown : { ...shown, previous: before };
    },
  };
  return conversions;
}

function isNeeded(resource: ServedResource, revision: Revision): boolean {
  return (
    resource.codec.remote !== undefined &&
    revision.shownIn !== resource &&
    storedVersionOf(revision) !== formatApiVersion(resource)
  );
}

/** Custom resources are stored with their members in order, so that apiVersion mostly is first. */
const head = /^\{"apiVersion":"([^"\\]+)"/;

/** The apiVersion in which a revision is stored. */
export function storedVersionOf({ bytes }: Revision): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 512));
  const found = head.exec(start.toString("utf8"));
  return found ? found[1]! : String(parseStored(bytes).apiVersion);
}

async function convert(resource: ServedResource, revision: Revision): Promise<Revision> {
  const remote: RemoteConversion = resource.codec.remote!;
  const object: JsonObject = await remote.fromStorage(parseStored(revision.bytes));
  return {
    key: revision.key,
    revision: revision.revision,
    created: revision.created,
    type: revision.type,
    previous: revision.previous,
    bytes: encodeObjectBytes(object, resource.codec.encode),
    attributes: attributesOf(resource, object),
    schemaEpoch: resource.schemaEpoch,
    shownIn: resource,
  };
}
