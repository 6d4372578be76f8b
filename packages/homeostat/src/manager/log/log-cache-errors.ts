// Logs the errors of caches. Where many objects of a kind are skipped at once, as after a change of
// its definition, a few are named and the rest is counted.
import type { Kind } from "../../api/kind.ts";
import { describeCacheError } from "../../cache/create-cache.ts";
import type { ReconcileLog } from "../../controller/define-controller.ts";
import type { Clock } from "../../runtime/clock.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";

const limits = { named: 5, countAfterMs: 2000 };

/** Codes of skipped objects. */
const skips = ["ERR_OBJECT_MISMATCH", "ERR_CACHE_OBJECT"] as const;

export interface CacheErrorLog {
  /** Returns where the lines go by then. */
  readonly log: () => Pick<ReconcileLog, "error">;
  readonly clock: Clock;
}

/** Receives the errors of a cache. */
export function logCacheErrors({ log, clock }: CacheErrorLog) {
  /** Objects that were skipped in the last moment, by code and kind. */
  const recent = new Map<string, number>();
  const countLater = (code: string, kind: Kind, group: string): void => {
    clock.timer(limits.countAfterMs, () => {
      const more = recent.get(group)! - limits.named;
      recent.delete(group);
      if (more > 0) log().error(`${code}: ${more} more of ${kind.kind} are skipped`);
    });
  };
  return (error: unknown, kind: Kind, key?: string): void => {
    const code = skips.find((one) => isHomeostatError(error, one));
    if (code !== undefined) {
      const group = `${code} ${kind.apiVersion} ${kind.kind}`;
      const count = (recent.get(group) ?? 0) + 1;
      recent.set(group, count);
      if (count === 1) countLater(code, kind, group);
      if (count > limits.named) return;
    }
    const hint = isHomeostatError(error) ? { hint: error.hint } : {};
    log().error(describeCacheError(error, kind, key), { error, ...hint });
  };
}
