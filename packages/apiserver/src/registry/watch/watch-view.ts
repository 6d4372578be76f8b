// What a watcher sees of an object: the object, its metadata, or rows of a Table, whose columns
// come with the first event only.
import type { JsonObject } from "homeostat/api";
import type { Revision } from "../../storage/store.ts";
import { type IncludeObject, makeTable, tableMetadata } from "../response/table.ts";
import type { CoreServices } from "../scope/core-services.ts";
import type { Accepted } from "../negotiation/accept.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { partialMetadata } from "../revisions/representations.ts";
import { frameObject } from "../revisions/watch-frames.ts";
import type { WatchEventType } from "../revisions/watch-event.ts";

/** Frames events for one watcher. */
export interface WatchView {
  event(type: WatchEventType, revision: Revision): Uint8Array;
  bookmark(object: JsonObject): Uint8Array;
  /** The Status that ends a watch. */
  error(status: JsonObject): Uint8Array;
}

/** The view that was agreed on. Throws 406 for a form that objects cannot take. */
export function createWatchView(
  core: CoreServices,
  resource: ServedResource,
  { transform, mediaType }: Accepted,
  includeObject: IncludeObject,
): WatchView {
  if (transform?.kind === "PartialObjectMetadataList") return nothingView;
  if (transform?.kind === "Table")
    return tableView(core, resource, transform.version, includeObject);
  if (mediaType === "application/vnd.kubernetes.protobuf")
    return protobufView(core, resource, transform?.version);
  const view = transform ? (transform.version as "v1" | "v1beta1") : "object";
  return {
    event: (type, revision) => core.frames.frame(resource, revision, type, view),
    bookmark: (object) =>
      frameObject("BOOKMARK", transform ? partialMetadata(object, transform.version) : object),
    error,
  };
}

/** Objects that a watch is about are no lists: upstream drops each event that it cannot show. */
const nothingView: WatchView = {
  event: () => new Uint8Array(),
  bookmark: () => new Uint8Array(),
  error: (status) => error(status),
};

const error = (status: JsonObject): Uint8Array => frameObject("ERROR", status);

/** For the few who take nothing else; every event is encoded for each of them. */
function protobufView(
  { protobuf, views }: CoreServices,
  resource: ServedResource,
  metaVersion: string | undefined,
): WatchView {
  const frame = (type: string, object: JsonObject): Uint8Array => {
    const envelope = protobuf?.encode?.(object);
    if (!envelope || !protobuf?.frame)
      throw new Error(
        `watch ${resource.resource} in protobuf: ${String(object.kind)} has no protobuf form; ask for application/json`,
      );
    return protobuf.frame(type, envelope);
  };
  const shown = (object: JsonObject): JsonObject =>
    metaVersion ? partialMetadata(object, metaVersion) : object;
  return {
    event: (type, revision) => frame(type, shown(views.object(resource, revision))),
    bookmark: (object) => frame("BOOKMARK", shown(object)),
    error: (status) => frame("ERROR", status),
  };
}

function tableView(
  core: CoreServices,
  resource: ServedResource,
  metaVersion: string,
  includeObject: IncludeObject,
): WatchView {
  let columns: "with columns" | "without columns" = "with columns";
  const table = (object: JsonObject): JsonObject => {
    const made = makeTable(
      resource.table,
      resource,
      [object],
      tableMetadata(object),
      { includeObject, metaVersion, nowMs: core.runtime.clock.now() },
      columns,
    );
    columns = "without columns";
    return made;
  };
  return {
    event: (type, revision) => frameObject(type, table(core.views.object(resource, revision))),
    bookmark: (object) => frameObject("BOOKMARK", table(object)),
    error,
  };
}
