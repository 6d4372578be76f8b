// A kind of which only the metadata is read: the server sends no more, and no more is cached.
import { assertKind } from "./check-kind.ts";
import type { Kind, Metadata } from "./kind.ts";

/** An object with its metadata only. */
export interface MetadataObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

/** A kind whose objects are read with their metadata only. It cannot be written. */
export interface MetadataKind extends Kind<MetadataObject, never, never, never> {
  readonly metadataOnly: true;
}

/**
 * The metadata of a kind, for references and watches: `refs: { secret: ref(metadataOf(Secret),
 * …) }`. Reads have no other field, by their types too, and their cache is separate from that of
 * whole objects. @throws ERR_KIND_ARGUMENT
 */
export function metadataOf(of: Kind): MetadataKind {
  assertKind(of, "taking the metadata of a kind");
  const { apiVersion, kind, resource, scope } = of;
  return { apiVersion, kind, resource, scope, metadataOnly: true } as MetadataKind;
}

export function isMetadataKind(kind: Kind): kind is MetadataKind {
  return (kind as Partial<MetadataKind>).metadataOnly === true;
}
