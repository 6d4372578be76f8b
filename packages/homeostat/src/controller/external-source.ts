// A source of keys from outside the cluster, as a controller declares it.
import type { ObjectKey } from "../api/object-meta.ts";

/**
 * Yields keys of objects to reconcile: `namespace/name` or `{ namespace, name }`; of cluster-scoped
 * kinds the name alone, or `{ name }`. Other values reconcile nothing; the first of them is logged.
 * The signal aborts when the controller stops. With several clusters it is opened once for each,
 * with the cluster's name; the name is "" with a manager of one client.
 */
export type ExternalSource = (
  signal: AbortSignal,
  cluster: string,
) => AsyncIterable<string | ObjectKey>;
