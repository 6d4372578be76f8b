// Reads and writes one version of a built-in kind: Go's typed decoding, the kind's defaults, and
// conversion where several versions share one storage. Knows nothing of strategies.
// Upstream: k8s.io/apimachinery/pkg/runtime/serializer/json,
// k8s.io/apiserver/pkg/endpoints/handlers (transformDecodeError).
import {
  ApiStatusError,
  formatApiVersion,
  type GroupVersionKind,
  isObject,
  type Json,
  type JsonObject,
  type ParsedJson,
} from "homeostat/api";
import { patchTypeOf } from "../../apimachinery/types/patch-meta.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import type {
  DecodeResult,
  DecodeSource,
  VersionCodec,
} from "../../apimachinery/rest/version-codec.ts";
import type { KindData } from "../../apimachinery/kind-data/kind-data.ts";
import { createGoDecoder, type EmptyLists, GoDecodeError } from "./go-decoder.ts";
import { createGoEncoder } from "./go-encoder.ts";
import { createStructPlans } from "./struct-plans.ts";
import { createListUnsetter } from "./unset-empty-lists.ts";

/** What a kind adds to plain decoding. */
export interface TypedCodecOptions {
  readonly data: KindData;
  readonly kind: GroupVersionKind;
  /** Model name of the type, e.g. `io.k8s.api.core.v1.ConfigMap`. */
  readonly model: string;
  /** Model of the storage version, if it is a different one. */
  readonly storageModel?: string;
  /** Called when the type is first asked for. */
  readonly smd: () => SmdType;
  readonly emptyLists: EmptyLists;
  /**
   * Upstream's SetDefaults functions, in place; runs on requests and on stored objects. May throw
   * {@link GoDecodeError}.
   */
  readonly defaults?: (object: JsonObject) => void;
  /** See VersionCodec. */
  readonly redefault?: (object: JsonObject) => void;
  readonly accepts?: readonly string[];
  /** Between this version and the storage version; absent for the storage version. */
  readonly conversion?: {
    readonly fromStorage: (stored: JsonObject) => JsonObject;
    readonly toStorage: (object: JsonObject) => JsonObject;
  };
}

/**
 * A codec for a type of the kind data. Decoding errors are 400s whose `cause` carries Go's bare
 * message.
 */
export function createTypedCodec(options: TypedCodecOptions): VersionCodec {
  const { data, kind, model, conversion } = options;
  const decoder = createGoDecoder(data, model, { emptyLists: options.emptyLists });
  const apiVersion = formatApiVersion(kind);
  let smd: SmdType | undefined;
  const named = (object: JsonObject): JsonObject =>
    Object.assign(object, { apiVersion, kind: kind.kind });
  let unset: ((object: JsonObject) => void) | undefined;
  return {
    decode(body: ParsedJson, source?: DecodeSource): DecodeResult {
      const decoded = attempt(kind, () => decoder.decode(body, source));
      named(decoded.object);
      keepEmptyManagers(body.value, decoded.object);
      attempt(kind, () => options.defaults?.(decoded.object));
      return decoded;
    },
    fromStorage: (stored) => conversion?.fromStorage(stored) ?? stored,
    toStorage: (object) => conversion?.toStorage(object) ?? object,
    storageIdentity: !conversion,
    goType: "struct",
    typeMeta: "defaulted",
    protobuf: true,
    get smd() {
      return (smd ??= options.smd());
    },
    ...(options.accepts ? { accepts: options.accepts } : {}),
    ...(options.redefault ? { redefault: options.redefault } : {}),
    patchMeta: patchTypeOf(data, model),
    settle(object) {
      if (options.emptyLists === "kept") return;
      unset ??= createListUnsetter(createStructPlans(data), model) ?? (() => {});
      unset(object);
    },
    encode: createGoEncoder(data, model),
    encodeStored: createGoEncoder(data, options.storageModel ?? model),
    empty: () =>
      named(decoder.decode({ value: {}, duplicates: [], floatLiterals: new Map() }).object),
  };
}

/** An empty list of managedFields resets them, unlike an absent one. */
function keepEmptyManagers(sent: Json, object: JsonObject): void {
  const metadata = isObject(sent) && isObject(sent.metadata) ? sent.metadata : undefined;
  if (
    Array.isArray(metadata?.managedFields) &&
    metadata.managedFields.length === 0 &&
    isObject(object.metadata)
  )
    object.metadata.managedFields = [];
}

function attempt<T>(kind: GroupVersionKind, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof GoDecodeError)) throw error;
    const message = `${kind.kind} in version ${JSON.stringify(kind.version)} cannot be handled as a ${kind.kind}: ${error.message}`;
    throw new ApiStatusError(
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message,
        reason: "BadRequest",
        code: 400,
      },
      { cause: error },
    );
  }
}
