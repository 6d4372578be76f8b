// The result of comparing a cache with the server.

/** Result of a comparison: keys, at most ten of each. */
export interface Comparison {
  /** False when the server has compacted the revision. */
  readonly conclusive: boolean;
  readonly compared: number;
  /** On the server, not in the cache. */
  readonly missing: readonly string[];
  /** In the cache, not on the server. */
  readonly extra: readonly string[];
  /** In both, at different revisions. */
  readonly different: readonly string[];
}
