// Applies a mutation to an object: merges an apply configuration by the schema, or applies a JSON
// patch; and decodes the result as this version of the kind.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/{smd,json_patch}.go,
// pkg/admission/plugin/policy/mutating/dispatcher.go (dispatchOne).
import {
  cloneJson,
  compareBytewise,
  formatApiVersion,
  type GroupVersionKind,
  isApiStatusError,
  isObject,
  type Json,
  type JsonObject,
} from "homeostat/api";
import { failure, internalError } from "../../apimachinery/errors/api-errors.ts";
import type {
  DecodeResult,
  DecodeSource,
  VersionCodec,
} from "../../apimachinery/rest/version-codec.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import { MergeError } from "../../merge/fieldpath/merge-error.ts";
import { JsonPatchError, JsonPatchTestError, patchJson } from "../../merge/patch/json-patch.ts";
import { mergeTyped } from "../../merge/typed/merge-typed.ts";
import { formatTypedErrors } from "../../merge/typed/typed-error.ts";
import { validateTyped } from "../../merge/typed/validate-typed.ts";
import { notRegistered } from "../../registry/body/claimed-kind.ts";
import { formatStrictErrors } from "../../registry/body/read-object.ts";
import { otherKind, otherKindFault } from "../matching/stated-kind.ts";
import { withoutGoValues } from "./go-values.ts";
import { type GoObject, MutationError } from "./mutation-json.ts";

/** What an object is read and merged by. */
export interface MutationTarget {
  readonly kind: GroupVersionKind;
  /** Whether it belongs to a custom resource: a Scale of one cannot be patched. */
  readonly isCustom: boolean;
  /** Absent for bodies of subresources that admission cannot decode. */
  readonly codec: VersionCodec | undefined;
  /**
   * Whether the group and version of the kind publish its schema: those of subresources may not.
   */
  readonly schema: "published" | "unpublished";
  /** The codec of a kind that is served. */
  codecOfKind(kind: GroupVersionKind): VersionCodec | undefined;
}

/** The merged object; arguments are not mutated. Throws a MutationError. */
export function mergeConfiguration(
  { kind, codec, schema }: MutationTarget,
  live: JsonObject,
  configuration: GoObject,
): JsonObject {
  const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  if (!codec || schema === "unpublished")
    throw unapplied(
      `failed to convert patch object to typed object: no corresponding type for ${type}`,
    );
  const named = { ...configuration, apiVersion: formatApiVersion(kind), kind: kind.kind };
  const { intent, faults: foreign } = withoutGoValues(codec.smd, named);
  const faults = [...foreign, ...validateTyped(codec.smd, intent, "refused")];
  if (faults.length)
    throw unapplied(`failed to convert patch object to typed object: ${formatTypedErrors(faults)}`);
  const atomics = findAtomics("", codec.smd, intent);
  if (atomics.length)
    throw unapplied(
      `invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`,
    );
  const merged = cloneJson(merge(codec.smd, live, intent)) as JsonObject;
  try {
    return decode(codec, merged, "unstructured").object;
  } catch (error) {
    if (!isApiStatusError(error)) throw error;
    throw new MutationError(
      `unable to convert unstructured object to ${type}: ${conversionFault(bareMessage(error))}`,
    );
  }
}

/** Upstream converts the merged object where this server decodes it. */
function conversionFault(message: string): string {
  if (message.startsWith("illegal base64")) return `error decoding from json: ${message}`;
  const float = /^json: cannot unmarshal number \S*[.eE]\S* into Go .* of type (\w+)$/.exec(
    message,
  );
  return float ? `cannot convert float64 to ${float[1]}` : message;
}

const unapplied = (why: string): MutationError => new MutationError(`error applying patch: ${why}`);

/** Field managers are no part of it: they are as large as the object, and cannot be mutated. */
function merge(type: SmdType, live: JsonObject, intent: JsonObject): Json {
  const { managedFields, ...metadata } = isObject(live.metadata) ? live.metadata : {};
  try {
    const merged = mergeTyped(type, { ...live, metadata }, intent) as JsonObject;
    return managedFields === undefined
      ? merged
      : { ...merged, metadata: { ...(merged.metadata as JsonObject), managedFields } };
  } catch (error) {
    if (!(error instanceof MergeError)) throw error;
    throw unapplied(
      `failed to merge patch: ${error.message.replace(/^failed to merge config: /, "")}`,
    );
  }
}

/** Setting part of what is owned as one would remove the rest. */
function findAtomics(path: string, type: SmdType, value: Json): readonly string[] {
  if (isObject(value) && type.map) {
    const { map } = type;
    const below = Object.keys(value)
      .sort(compareBytewise)
      .flatMap((name) => {
        const field = map.field(name);
        return field ? findAtomics(`${path}.${name}`, field.type(), value[name]!) : [];
      });
    return map.relation === "atomic" ? [path, ...below] : below;
  }
  if (!Array.isArray(value) || !type.list) return [];
  const { list } = type;
  const below = value.flatMap((item, i) => findAtomics(`${path}[${i}]`, list.element(), item));
  return list.relation === "atomic" ? [path, ...below] : below;
}

/**
 * The patched object; a patch whose test fails leaves it as it is. Throws a MutationError, and
 * ApiStatusError for what is then no object of the kind.
 */
export function patchObject(
  target: MutationTarget,
  live: JsonObject,
  operations: readonly JsonObject[],
): JsonObject {
  const { codec, kind } = target;
  if (!codec)
    throw failure(
      501,
      "NotImplemented",
      `patch ${kind.kind}: this server does not run JSON patches of policies on it; exclude its subresource in matchConstraints`,
    );
  const patched = patch(live, operations);
  if (target.isCustom && codec.goType === "struct")
    throw new MutationError(
      `request to convert CR to an invalid group/version: ${formatApiVersion(kind)}`,
    );
  if (patched === undefined) return live;
  if (codec.goType === "struct") assertSameKind(target, patched);
  const { object, strictErrors } = decodePatched(codec, patched);
  if (strictErrors.length && codec.goType === "struct")
    // Upstream's patched document has sorted keys.
    throw internalError(formatStrictErrors(strictErrors.toSorted(compareBytewise)));
  return object;
}

/** A patch may name another type, which upstream decodes and then fails to convert. */
function assertSameKind({ kind, codecOfKind }: MutationTarget, patched: Json): void {
  const named = otherKind(kind, patched);
  if (!named) return;
  const codec = codecOfKind(named);
  if (!codec) throw internalError(notRegistered(named.kind, formatApiVersion(named)));
  decodePatched(codec, patched);
  throw internalError(`failed to convert object: ${otherKindFault(named, kind)}`);
}

function patch(live: JsonObject, operations: readonly JsonObject[]): Json | undefined {
  try {
    return patchJson(live, operations);
  } catch (error) {
    if (error instanceof JsonPatchTestError) return undefined;
    if (!(error instanceof JsonPatchError)) throw error;
    throw new MutationError(`JSON Patch: ${error.message}`);
  }
}

function decodePatched(codec: VersionCodec, patched: Json): DecodeResult {
  try {
    return decode(codec, patched);
  } catch (error) {
    if (!isApiStatusError(error)) throw error;
    if (codec.goType !== "unstructured" || !isObject(patched) || patched["metadata"] === undefined)
      throw internalError(bareMessage(error));
    return decode(codec, withReadableMetadata(codec, patched));
  }
}

/** Upstream reads metadata of custom resources field by field, and none of a wrong type. */
function withReadableMetadata(codec: VersionCodec, patched: JsonObject): JsonObject {
  const { metadata, ...rest } = patched;
  if (!isObject(metadata)) throw internalError("system metadata was not initialized");
  const { apiVersion = null, kind = null } = rest;
  const isReadable = ([name, value]: [string, Json]): boolean => {
    try {
      decode(codec, { apiVersion, kind, metadata: { [name]: cloneJson(value) } });
      return true;
    } catch {
      return false;
    }
  };
  const readable = Object.entries(metadata).filter(isReadable);
  return { ...rest, metadata: Object.fromEntries(readable) };
}

const decode = (codec: VersionCodec, value: Json, source?: DecodeSource): DecodeResult =>
  codec.decode({ value, duplicates: [], floatLiterals: new Map() }, source);

const bareMessage = ({ cause, message }: Error): string =>
  cause instanceof Error ? cause.message : message;
