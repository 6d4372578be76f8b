// The object after a write, from the response: at its new revision, or deleted. Pure. A write that
// removes the last finalizer of an object in deletion, or deletes without grace, returns an object
// that no longer exists.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go (deleteWithoutFinalizers,
// Delete).
import { isObject, type Json, type JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import { parseExact } from "../api/parse-exact.ts";
import { type ByteRange, readString, toBuffer } from "../api/scan-json.ts";
import { managedFieldsSpan, scanMetadata, type ScannedMetadata } from "../api/scan-metadata.ts";
import type { ObjectKey } from "../api/object-meta.ts";
import type { CompletedWrite } from "./client.ts";
import { decodeJson } from "./request/decode-json.ts";

/**
 * Interprets a write's response; undefined if it is not about the object itself (a Scale, a dry
 * run).
 */
export function toCompletedWrite(
  kind: Kind,
  key: ObjectKey,
  verb: "write" | "delete",
  answer: Json,
): CompletedWrite | undefined {
  if (!isObject(answer)) return undefined;
  if (answer["kind"] === "Status" && answer["apiVersion"] === "v1")
    return verb === "delete"
      ? gone(kind, key, isObject(answer["details"]) ? answer["details"]["uid"] : undefined)
      : undefined;
  const metadata = answer["metadata"];
  if (
    answer["kind"] !== kind.kind ||
    answer["apiVersion"] !== kind.apiVersion ||
    !isObject(metadata)
  )
    return undefined;
  const name = String(metadata["name"]);
  const actual =
    typeof metadata["namespace"] === "string"
      ? { namespace: metadata["namespace"], name }
      : { name };
  return isGone(metadata, verb)
    ? gone(kind, actual, metadata["uid"])
    : { kind, key: actual, object: answer };
}

/**
 * As `toCompletedWrite` for an apply, from the bytes of the response; undefined where only parsing
 * them tells what happened.
 */
export function scanCompletedWrite(kind: Kind, bytes: Uint8Array): CompletedWrite | undefined {
  const scanned = scanMetadata(bytes);
  if (!scanned || scanned.deleting) return undefined;
  const isOfKind =
    textAt(bytes, scanned.kind) === kind.kind &&
    textAt(bytes, scanned.apiVersion) === kind.apiVersion;
  return isOfKind ? new ScannedWrite(kind, bytes, scanned) : undefined;
}

/** The revision of a write's object; undefined when it is deleted. */
export function writtenRevision(write: CompletedWrite): string | undefined {
  if (write.resourceVersion !== undefined) return write.resourceVersion;
  const metadata = write.object?.["metadata"];
  return isObject(metadata) ? (metadata["resourceVersion"] as string) : undefined;
}

/** The metadata of a write's object, possibly without managedFields; undefined when deleted. */
export function writtenMetadata(write: CompletedWrite): JsonObject | undefined {
  return write.metadata ?? (write.object?.["metadata"] as JsonObject | undefined);
}

/** A write whose object is parsed when it is read. */
class ScannedWrite implements CompletedWrite {
  readonly kind: Kind;
  readonly key: ObjectKey;
  readonly bytes: Uint8Array;
  readonly resourceVersion: string;
  readonly #scanned: ScannedMetadata;
  #object: JsonObject | undefined;
  #metadata: JsonObject | undefined;

  constructor(kind: Kind, bytes: Uint8Array, scanned: ScannedMetadata) {
    const { name, namespace, resourceVersion } = scanned;
    this.kind = kind;
    this.key = namespace ? { namespace, name } : { name };
    this.bytes = bytes;
    this.resourceVersion = resourceVersion;
    this.#scanned = scanned;
  }

  get object(): JsonObject {
    return (this.#object ??= decodeJson(this.bytes) as JsonObject);
  }

  get metadata(): JsonObject {
    return (this.#metadata ??= this.#parseMetadata());
  }

  #parseMetadata(): JsonObject {
    const { start, end } = this.#scanned.metadata;
    const buffer = toBuffer(this.bytes);
    const cut = managedFieldsSpan(buffer, this.#scanned);
    const text = cut
      ? buffer.toString("utf8", start, cut.start) + buffer.toString("utf8", cut.end, end)
      : buffer.toString("utf8", start, end);
    return parseExact(text) as JsonObject;
  }
}

function textAt(bytes: Uint8Array, range: ByteRange | undefined): string | undefined {
  return range && readString(bytes, range.start, range.end);
}

function isGone(metadata: JsonObject, verb: "write" | "delete"): boolean {
  const finalizers = metadata["finalizers"];
  if (Array.isArray(finalizers) && finalizers.length > 0) return false;
  if (metadata["deletionTimestamp"] === undefined) return verb === "delete";
  return !metadata["deletionGracePeriodSeconds"];
}

function gone(kind: Kind, key: ObjectKey, uid: Json | undefined): CompletedWrite {
  return typeof uid === "string"
    ? { kind, key, object: undefined, deletedUid: uid }
    : { kind, key, object: undefined };
}
