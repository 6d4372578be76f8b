// What a controller's `priority` is asked about.
import type { CachedObject } from "../cache/informer.ts";

/** Why an object is to be reconciled. */
export interface Trigger<O = any> {
  /** The object, not parsed before `read()`. */
  readonly object: CachedObject<O>;
  /**
   * `itself`, `owns Meal`, `ref chef`, `watch sites`, `external cloud`, `resync`, `retry`: as in
   * the causes that `explain()` shows.
   */
  readonly source: string;
  /** The default: -100 for the first list and resyncs, that of the run for its retry, else 0. */
  readonly priority: number;
}
