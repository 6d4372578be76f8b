// The object in a context: as read from the cache, and the read of its status is noticed.
import type { KubeObject } from "../../api/object-meta.ts";

/** A shallow copy of `object` that calls `read` when its status is read. */
export function observeStatus<O extends KubeObject>(object: O, read: () => void): O {
  if (!("status" in object)) return object;
  const { status } = object;
  const copy = Object.defineProperty({ ...object }, "status", {
    enumerable: true,
    get() {
      read();
      return status;
    },
  });
  return Object.isFrozen(object) ? Object.freeze(copy) : copy;
}
