// Frames watch events for the wire, one JSON object a line, e.g. {"type":"ADDED","object":{…}}. An
// event is framed once for all watchers of the same form.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/response.go (watchEncoder).
import { formatApiVersion, type JsonObject } from "homeostat/api";
import type { Revision } from "../../storage/store.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { encodeObjectBytes } from "./stored-json.ts";
import type { Representations } from "./representations.ts";
import type { WatchEventType } from "./watch-event.ts";

/** `object` in this version, or `metadata` of one of two versions. */
export type FrameForm = "object" | "v1" | "v1beta1";

/** Makes frames, and keeps the newest for further watchers. */
export interface Frames {
  frame(
    resource: ServedResource,
    revision: Revision,
    type: WatchEventType,
    form: FrameForm,
  ): Uint8Array;
}

/** Frames kept. The watchers of an event take it within moments; for later ones it is made anew. */
const framesKept = 1024;

/** Creates the frames of one server. */
export function createFrames(representations: Representations): Frames {
  const kept = new WeakMap<Revision, WeakMap<ServedResource, Map<string, Uint8Array>>>();
  const newest: (() => void)[] = [];
  let next = 0;
  const keep = (byForm: Map<string, Uint8Array>, key: string, frame: Uint8Array): void => {
    byForm.set(key, frame);
    newest[next]?.();
    newest[next] = () => byForm.delete(key);
    next = (next + 1) % framesKept;
  };
  return {
    frame(resource, revision, type, form) {
      let byResource = kept.get(revision);
      if (!byResource) kept.set(revision, (byResource = new WeakMap()));
      let byForm = byResource.get(resource);
      if (!byForm) byResource.set(resource, (byForm = new Map()));
      const key = `${type} ${form}`;
      const known = byForm.get(key);
      if (known) return known;
      const bytes =
        form === "object"
          ? representations.bytes(resource, revision)
          : representations.metadata(resource, revision, form);
      const frame = frameBytes(type, bytes);
      keep(byForm, key, frame);
      return frame;
    },
  };
}

/** Frames an object of any kind: a Table, a Status, a bookmark; `encode` knows its order. */
export function frameObject(
  type: WatchEventType | "BOOKMARK" | "ERROR",
  object: JsonObject,
  encode?: (object: JsonObject) => string,
): Uint8Array {
  return frameBytes(type, encodeObjectBytes(object, encode));
}

/**
 * The object of a bookmark: one with nothing set but its resourceVersion, marked when it ends the
 * initial events. Upstream's encoder writes the members that Go's structs cannot leave out.
 */
export function bookmarkObject(
  resource: ServedResource,
  revision: number,
  ends: "ends initial events" | "",
): JsonObject {
  const object = resource.codec.empty?.() ?? {
    apiVersion: formatApiVersion(resource),
    kind: resource.kind,
  };
  resource.convertUnset?.(object);
  const metadata = metadataOf(object);
  if (ends) metadata.annotations = { ...metadata.annotations, ...endOfInitialEvents };
  metadata.resourceVersion = String(revision);
  return object;
}

const endOfInitialEvents = { "k8s.io/initial-events-end": "true" };

function frameBytes(type: string, object: Uint8Array): Uint8Array {
  const head = `{"type":"${type}","object":`;
  const out = Buffer.allocUnsafe(head.length + object.length + 2);
  out.write(head, 0, "latin1");
  out.set(object, head.length);
  out.write("}\n", head.length + object.length, "latin1");
  return out;
}
