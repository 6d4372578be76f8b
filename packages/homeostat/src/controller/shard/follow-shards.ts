// What a controller does when the keys of its process change: those that it gains are reconciled,
// and nothing is kept of those that it loses. A reconcile that runs goes on, and ends as any other.
import type { Informer } from "../../cache/informer.ts";
import { forget } from "../run/forget.ts";
import type { RunnerState } from "../run/runner-state.ts";
import { lowPriority } from "../sources.ts";

const cause = { what: "this replica has taken the object over", source: "sharding" };

/** Follows the gate until `remove()`. */
export function followShards(
  state: RunnerState,
  primary: Pick<Informer, "entries">,
): { remove(): void } {
  const { shards, queue } = state.options;
  if (!shards) return { remove() {} };
  const keysIn = (isIn: (slot: number) => boolean): readonly string[] =>
    primary.entries().flatMap(({ key }) => (isIn(shards.slotOf(key)) ? [key] : []));
  return shards.gate.follow({
    gained(isGained) {
      for (const key of keysIn(isGained)) queue.add(key, { priority: lowPriority, cause });
    },
    lost(isLost) {
      for (const key of keysIn(isLost)) {
        forget(state, key);
        queue.discard(key);
      }
    },
  });
}
