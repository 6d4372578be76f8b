// A bounded list of causes: the oldest are kept, since they tell what woke a key; what does not fit
// is counted. A cause that repeats the last one is folded into it.
import type { QueueCause, RecordedCause } from "./workqueue.ts";

/** Causes in order of arrival, and how many did not fit. */
export interface CauseList {
  readonly causes: readonly RecordedCause[];
  readonly dropped: number;
}

/** Shared start; lists are never mutated. */
export const noCauses: CauseList = { causes: [], dropped: 0 };

/** Adds a cause, keeping the oldest `kept`. */
export function addCause(list: CauseList, cause: QueueCause, at: number, kept: number): CauseList {
  const last = list.causes.at(-1);
  if (last && last.what === cause.what && last.source === cause.source)
    return {
      causes: [...list.causes.slice(0, -1), { ...last, times: last.times + 1 }],
      dropped: list.dropped,
    };
  if (list.causes.length >= kept) return { causes: list.causes, dropped: list.dropped + 1 };
  return { causes: [...list.causes, { ...cause, at, times: 1 }], dropped: list.dropped };
}

/**
 * Adds a cause, keeping the newest `kept`: for what was seen and ignored, where the latest tells
 * most.
 */
export function addLatestCause(
  causes: readonly RecordedCause[],
  cause: QueueCause,
  at: number,
  kept: number,
): readonly RecordedCause[] {
  const { causes: folded } = addCause({ causes, dropped: 0 }, cause, at, kept + 1);
  return folded.length > kept ? folded.slice(folded.length - kept) : folded;
}
