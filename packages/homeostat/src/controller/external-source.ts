// A source of keys from outside the cluster, as a controller declares it.
import type { ObjectKey } from "../api/object-meta.ts";

/**
 * Yields keys of objects to reconcile: `namespace/name`, or `name` of cluster-scoped kinds. The
 * signal aborts when the controller stops.
 */
export type ExternalSource = (signal: AbortSignal) => AsyncIterable<string | ObjectKey>;
