// Reads bookmarks of watches. Pure.
// Upstream: k8s.io/api/core/v1 and apimachinery/pkg/apis/meta/v1 (InitialEventsAnnotationKey).
import { isObject } from "../api/json.ts";
import { decodeJson } from "../client/request/decode-json.ts";

const initialEventsEnd = "k8s.io/initial-events-end";

/** The revision of a bookmark, and whether the first events end with it. */
export function readBookmark(object: Uint8Array): {
  readonly resourceVersion: string;
  readonly initialEventsEnd: boolean;
} {
  const bookmark = decodeJson(object);
  const metadata = isObject(bookmark) && isObject(bookmark["metadata"]) ? bookmark["metadata"] : {};
  const { resourceVersion, annotations } = metadata;
  if (typeof resourceVersion !== "string" || !resourceVersion)
    throw new Error("expected a bookmark with metadata.resourceVersion");
  return {
    resourceVersion,
    initialEventsEnd: isObject(annotations) && annotations[initialEventsEnd] === "true",
  };
}
