// A change of an object's metadata for watchers in this process, from the attributes that the store
// indexes: its text is made only when someone reads it.
import type { ObjectChange } from "homeostat/api";
import type { Revision } from "../../storage/store.ts";
import { splitStorageKey } from "./storage-key.ts";
import type { WatchEventType } from "./watch-event.ts";

const noOwners: readonly string[] = [];

/** The change that `revision` is to a watcher to whom it appears as `type`. */
export function metadataChange(
  type: WatchEventType,
  revision: Revision,
  bytes: () => Uint8Array,
): ObjectChange {
  const { uid, generation, deleting, owners } = revision.attributes;
  const { name, namespace } = splitStorageKey(revision.key);
  return {
    type,
    name,
    namespace,
    uid,
    resourceVersion: String(revision.revision),
    generation,
    deleting,
    ownerUids: owners.length === 0 ? noOwners : owners.map((owner) => owner.uid),
    bytes,
  };
}
