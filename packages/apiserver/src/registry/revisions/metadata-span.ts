// Cuts the metadata out of stored bytes and wraps it as PartialObjectMetadata without parsing, so
// that watches of metadata, such as the garbage collector's, cost a copy only. Relies on the head
// that stored-json.ts gives objects.
import type { BodyParts } from "../../apimachinery/body-parts.ts";

const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const key = Buffer.from('"metadata":', "latin1");

/**
 * The value of `metadata`, which stands at `at`, behind kind and apiVersion; undefined if another
 * member stands there.
 */
export function metadataSpan(bytes: Uint8Array, at: number): Uint8Array | undefined {
  const start = at + key.length;
  if (bytes[start] !== openBrace || key.compare(bytes, at, start) !== 0) return undefined;
  let depth = 0;
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) i = closingQuote(bytes, i);
    else if (byte === openBrace) depth++;
    else if (byte === closeBrace && --depth === 0) return bytes.subarray(start, i + 1);
  }
  return undefined;
}

const headOf = (metaVersion: string): Buffer =>
  Buffer.from(
    `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${metaVersion}","metadata":`,
  );
const heads: Readonly<Record<string, Buffer>> = {
  v1: headOf("v1"),
  v1beta1: headOf("v1beta1"),
};
const tail = Buffer.from("}");

/** An object of `meta.k8s.io` in this version around a metadata value. */
export function wrapMetadata(metadata: Uint8Array, metaVersion: string): Uint8Array {
  return Buffer.concat([heads[metaVersion] ?? headOf(metaVersion), metadata, tail]);
}

/** Adds the parts of {@link wrapMetadata}. */
export function addWrapped(parts: BodyParts, metadata: Uint8Array, metaVersion: string): void {
  parts.add(heads[metaVersion] ?? headOf(metaVersion));
  parts.add(metadata);
  parts.add(tail);
}

function closingQuote(bytes: Uint8Array, open: number): number {
  let i = open + 1;
  while (i < bytes.length && bytes[i] !== quote) i += bytes[i] === backslash ? 2 : 1;
  return i;
}
