// A change of an object's metadata for watchers in this process, from the attributes that the store
// indexes: its text is made only when someone reads it.
import type { ObjectChange } from "homeostat/api";
import type { Revision } from "../../storage/store.ts";
import { splitStorageKey } from "./storage-key.ts";
import type { WatchEventType } from "./watch-event.ts";

const noOwners: readonly string[] = [];

/** The change that `revision` is to a watcher to whom it appears as `type`. */
export class MetadataChange implements ObjectChange {
  readonly type: WatchEventType;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly deleting: boolean;
  readonly ownerUids: readonly string[];
  readonly bytes: () => Uint8Array;

  constructor(type: WatchEventType, revision: Revision, bytes: () => Uint8Array) {
    const { uid, generation, deleting, owners } = revision.attributes;
    const { name, namespace } = splitStorageKey(revision.key);
    this.type = type;
    this.name = name;
    this.namespace = namespace;
    this.uid = uid;
    this.resourceVersion = String(revision.revision);
    this.generation = generation;
    this.deleting = deleting;
    this.ownerUids = owners.length === 0 ? noOwners : owners.map((owner) => owner.uid);
    this.bytes = bytes;
  }
}
