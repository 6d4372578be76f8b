// Representations of revisions: an object in a version, its bytes, its metadata. They are made when
// first asked for and cached with the revision. Stored bytes are handed out as they are if the
// version neither converts nor defaults them.
import { formatApiVersion, isObject, type JsonObject } from "homeostat/api";
import type { Revision } from "../../storage/store.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import type { ProtobufCodec } from "../../apimachinery/rest/protobuf-codec.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { BodyParts } from "../../apimachinery/body-parts.ts";
import { addWrapped, metadataSpan, wrapMetadata } from "./metadata-span.ts";
import { encodeObjectBytes, headLength, parseStored } from "./stored-json.ts";

/** Representations of a revision. Byte arrays are shared and must not be mutated. */
export interface Representations {
  /** The object in this version, parsed afresh; the caller owns it. */
  object(resource: ServedResource, revision: Revision): JsonObject;
  /** The bytes of {@link object}. */
  bytes(resource: ServedResource, revision: Revision): Uint8Array;
  /**
   * The bytes of the object as an item of a list, behind its opening brace: items of typed lists
   * leave out kind and apiVersion.
   */
  item(resource: ServedResource, revision: Revision): Uint8Array;
  /**
   * PartialObjectMetadata of `meta.k8s.io/v1` or `v1beta1`; made anew each time, mostly by copying.
   */
  metadata(resource: ServedResource, revision: Revision, metaVersion: string): Uint8Array;
  /** Adds what {@link metadata} makes, without making it where stored bytes can be sent. */
  addMetadata(
    parts: BodyParts,
    resource: ServedResource,
    revision: Revision,
    metaVersion: string,
  ): void;
  /**
   * The object's protobuf message, kept with the revision; undefined for a type that has none.
   */
  message(
    resource: ServedResource,
    revision: Revision,
    codec: ProtobufCodec,
  ): Uint8Array | undefined;
  /**
   * The state before a revision by which an object left a selection, with this revision's
   * resourceVersion.
   */
  departed(revision: Revision): Revision;
}

interface Derived {
  bytes?: Uint8Array;
  message?: Uint8Array | undefined;
}

/** Creates the representations of one server. */
export function createRepresentations(): Representations {
  const departures = new WeakMap<Revision, Revision>();
  const headLengthOf = headLengths();
  const derivedOf = derivations();
  const storedMetadata = metadataFinder();
  const representations: Representations = {
    object(resource, revision) {
      const stored = parseStored(revision.bytes);
      return isShownAsStored(resource, revision) ? stored : resource.codec.fromStorage(stored);
    },
    bytes(resource, revision) {
      if (isShownAsStored(resource, revision)) return revision.bytes;
      return (derivedOf(resource, revision).bytes ??= encodeObjectBytes(
        representations.object(resource, revision),
        resource.codec.encode,
      ));
    },
    item(resource, revision) {
      const bytes = representations.bytes(resource, revision);
      return bytes.subarray(resource.codec.goType === "struct" ? headLengthOf(resource) : 1);
    },
    metadata(resource, revision, metaVersion) {
      const stored = storedMetadata(resource, revision);
      return stored
        ? wrapMetadata(stored, metaVersion)
        : encodeObjectBytes(
            partialMetadata(resource, representations.object(resource, revision), metaVersion),
          );
    },
    addMetadata(parts, resource, revision, metaVersion) {
      const stored = storedMetadata(resource, revision);
      if (stored) addWrapped(parts, stored, metaVersion);
      else parts.add(representations.metadata(resource, revision, metaVersion));
    },
    message(resource, revision, codec) {
      return (derivedOf(resource, revision).message ??= codec.encodeMessage?.(
        resource,
        representations.object(resource, revision),
      ));
    },
    departed(revision) {
      return departureOf(departures, revision);
    },
  };
  return representations;
}

/**
 * What is kept with each revision. By resource first: a map for each of a hundred thousand
 * revisions would be dear.
 */
function derivations(): (resource: ServedResource, revision: Revision) => Derived {
  const kept = new WeakMap<ServedResource, WeakMap<Revision, Derived>>();
  return (resource, revision) => {
    let byRevision = kept.get(resource);
    if (!byRevision) kept.set(resource, (byRevision = new WeakMap()));
    let entry = byRevision.get(revision);
    if (!entry) byRevision.set(revision, (entry = {}));
    return entry;
  };
}

function departureOf(kept: WeakMap<Revision, Revision>, revision: Revision): Revision {
  let departure = kept.get(revision);
  if (!departure) {
    departure = withResourceVersion(revision.previous!, revision.revision);
    kept.set(revision, departure);
  }
  return departure;
}

/** True if a revision's bytes can be handed out: no conversion, and the same schema. */
export function isShownAsStored(resource: ServedResource, revision: Revision): boolean {
  if (revision.shownIn) return revision.shownIn === resource;
  return resource.codec.storageIdentity && revision.schemaEpoch === resource.schemaEpoch;
}

/** PartialObjectMetadata of an object; shares its metadata. */
export function partialMetadata(
  { internalMetadata }: ServedResource,
  object: JsonObject,
  metaVersion: string,
): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: internalMetadata ? internalMetadata(metadata) : metadata,
  };
}

function withResourceVersion(revision: Revision, resourceVersion: number): Revision {
  const object = parseStored(revision.bytes);
  metadataOf(object).resourceVersion = String(resourceVersion);
  const { key, created, schemaEpoch, attributes, shownIn } = revision;
  return {
    key,
    created,
    schemaEpoch,
    attributes,
    revision: resourceVersion,
    bytes: encodeObjectBytes(object),
    type: "DELETED",
    ...(shownIn ? { shownIn } : {}),
  };
}

/** Finds the metadata of revisions that are shown as stored; looks through each once. */
function metadataFinder(): (
  resource: ServedResource,
  revision: Revision,
) => Uint8Array | undefined {
  const found = new WeakMap<Revision, Uint8Array | "none">();
  const headLengthOf = headLengths();
  return (resource, revision) => {
    if (resource.internalMetadata || !isShownAsStored(resource, revision)) return undefined;
    let span = found.get(revision);
    if (span === undefined) {
      span = metadataSpan(revision.bytes, headLengthOf(resource)) ?? "none";
      found.set(revision, span);
    }
    return span === "none" ? undefined : span;
  };
}

/** The length of the head that objects of a resource are stored with, computed once for each. */
function headLengths(): (resource: ServedResource) => number {
  const known = new WeakMap<ServedResource, number>();
  return (resource) => {
    let length = known.get(resource);
    if (length === undefined) {
      length = headLength({ kind: resource.kind, apiVersion: formatApiVersion(resource) });
      known.set(resource, length);
    }
    return length;
  };
}
