// Follows the stored objects below a prefix: their state now, then every change.
// Upstream: a list-watch (k8s.io/client-go/tools/cache), here directly on the store.
import type { Revision, Store } from "../../storage/store.ts";

/** Calls `each` for every change below `prefix` from now on. Returns a function that stops. */
export function watchRevisions(
  store: Store,
  prefix: string,
  each: (revision: Revision) => void,
): () => void {
  const watch = store.since(prefix, store.revision(), each);
  return () => {
    if (typeof watch === "object") watch.stop();
  };
}

/** The same, after a call for every object that is stored now. */
export function followRevisions(
  store: Store,
  prefix: string,
  each: (revision: Revision) => void,
): () => void {
  const listing = store.list(prefix);
  if (typeof listing === "object") for (const revision of listing.items) each(revision);
  return watchRevisions(store, prefix, each);
}
