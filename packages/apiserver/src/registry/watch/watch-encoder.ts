// Encodes the events of one watch: objects, their metadata, or rows of a Table, whose columns come
// with the first event only.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/response.go (watchEncoder,
// watchEmbeddedEncoder).
import type { JsonObject, ObjectChange } from "homeostat/api";
import type { Revision } from "../../storage/store.ts";
import { encodeTable, type IncludeObject, makeTable, tableMetadata } from "../response/table.ts";
import type { CoreServices } from "../scope/core-services.ts";
import type { Accepted } from "../negotiation/accept.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { partialMetadata } from "../revisions/representations.ts";
import { metadataChange } from "../revisions/metadata-change.ts";
import { frameObject } from "../revisions/watch-frames.ts";
import type { WatchEventType } from "../revisions/watch-event.ts";

/** Encodes the frames of one watch. */
export interface WatchEncoder {
  event(type: WatchEventType, revision: Revision): Uint8Array;
  /** The same without text, for receivers in this process; only where metadata is all there is. */
  change?(type: WatchEventType, revision: Revision): ObjectChange;
  bookmark(object: JsonObject): Uint8Array;
  /** The Status that ends a watch. */
  error(status: JsonObject): Uint8Array;
}

/** The encoder of the negotiated form. */
export function createWatchEncoder(
  core: CoreServices,
  resource: ServedResource,
  { transform, mediaType }: Accepted,
  includeObject: IncludeObject,
): WatchEncoder {
  if (transform?.kind === "PartialObjectMetadataList") return droppingEncoder;
  if (transform?.kind === "Table")
    return tableEncoder(core, resource, transform.version, includeObject);
  if (mediaType === "application/vnd.kubernetes.protobuf")
    return protobufEncoder(core, resource, transform?.version);
  const form = transform ? (transform.version as "v1" | "v1beta1") : "object";
  return {
    ...(form !== "object" && {
      change: (type, revision) =>
        metadataChange(type, revision, () =>
          core.representations.metadata(resource, revision, form),
        ),
    }),
    event: (type, revision) => core.frames.frame(resource, revision, type, form),
    bookmark: (object) =>
      transform
        ? frameObject("BOOKMARK", partialMetadata(resource, object, transform.version))
        : frameObject("BOOKMARK", object, resource.codec.encode),
    error,
  };
}

/** A watch has no lists to show, and upstream drops every event that it cannot encode. */
const droppingEncoder: WatchEncoder = {
  event: () => new Uint8Array(),
  bookmark: () => new Uint8Array(),
  error: (status) => error(status),
};

const error = (status: JsonObject): Uint8Array => frameObject("ERROR", status);

/** Encodes every event anew for each watcher: few ask for protobuf alone. */
function protobufEncoder(
  { protobuf, representations }: CoreServices,
  resource: ServedResource,
  metaVersion: string | undefined,
): WatchEncoder {
  const frame = (type: string, object: JsonObject): Uint8Array => {
    const envelope = protobuf?.encode?.(object);
    if (!envelope || !protobuf?.frame)
      throw new Error(
        `watch ${resource.resource} in protobuf: ${String(object.kind)} has no protobuf form; ask for application/json`,
      );
    return protobuf.frame(type, envelope);
  };
  const shown = (object: JsonObject): JsonObject =>
    metaVersion ? partialMetadata(resource, object, metaVersion) : object;
  return {
    event: (type, revision) => frame(type, shown(representations.object(resource, revision))),
    bookmark: (object) => frame("BOOKMARK", shown(object)),
    error: (status) => frame("ERROR", status),
  };
}

function tableEncoder(
  core: CoreServices,
  resource: ServedResource,
  metaVersion: string,
  includeObject: IncludeObject,
): WatchEncoder {
  let columns: "with columns" | "without columns" = "with columns";
  const table = (object: JsonObject): JsonObject => {
    const made = makeTable(resource, [object], {
      metadata: tableMetadata(object),
      includeObject,
      metaVersion,
      nowMs: core.runtime.clock.now(),
      columns,
    });
    columns = "without columns";
    return made;
  };
  return {
    event: (type, revision) =>
      frameObject(type, table(core.representations.object(resource, revision)), (made) =>
        encodeTable(resource, made),
      ),
    bookmark: (object) => frameObject("BOOKMARK", table(object)),
    error,
  };
}
