// The objects of the cache that exist: an answer of the server may have said that one is gone
// before the watch does.
import { formatObjectKey } from "../../api/gvk.ts";
import type { KubeObject, ObjectKey } from "../../api/object-meta.ts";
import type { OwnedSet } from "./owned-set.ts";

type Known = Pick<OwnedSet, "memory">;

/** Those that are not known to be gone. */
export function existing({ memory }: Known, objects: readonly unknown[]): readonly KubeObject[] {
  return (objects as readonly KubeObject[]).filter(({ metadata }) => !memory.isGone(metadata.uid));
}

/** The cached object of a key; undefined when it is gone. */
export function findCached(
  { informer, memory }: Known & Pick<OwnedSet, "informer">,
  key: ObjectKey,
): KubeObject | undefined {
  const cached = informer.unchecked.get(key) as KubeObject | undefined;
  return cached && !memory.isGone(cached.metadata.uid) ? cached : undefined;
}

/** False when an object, as the cache has it, does not match the definition of its kind. */
export function isMatching({ informer }: Pick<OwnedSet, "informer">, object: KubeObject): boolean {
  const entry = informer.entry(formatObjectKey(object.metadata));
  entry?.read();
  return entry?.mismatch === undefined;
}
