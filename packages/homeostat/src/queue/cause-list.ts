// A bounded list of causes. It keeps the oldest, which triggered the key, and counts the rest. A
// cause that repeats the previous one is merged into it.
import type { QueueCause, RecordedCause } from "./workqueue.ts";

/** Causes in order of arrival, and the number of dropped ones. */
export interface CauseList {
  readonly causes: readonly RecordedCause[];
  readonly dropped: number;
}

/** Revisions kept of a merged cause, beside the last. */
const earlierKept = 7;

/** Shared start; lists are never mutated. */
export const noCauses: CauseList = { causes: [], dropped: 0 };

/** Adds a cause, keeping the oldest `kept`. */
export function addCause(list: CauseList, cause: QueueCause, at: number, kept: number): CauseList {
  const last = list.causes.at(-1);
  if (last && last.what === cause.what && last.source === cause.source)
    return {
      causes: [...list.causes.slice(0, -1), merged(last, cause)],
      dropped: list.dropped,
    };
  if (list.causes.length >= kept) return { causes: list.causes, dropped: list.dropped + 1 };
  return { causes: [...list.causes, { ...cause, at, times: 1 }], dropped: list.dropped };
}

function merged(last: RecordedCause, cause: QueueCause): RecordedCause {
  const { resourceVersion, earlier = [] } = last;
  const revisions = resourceVersion === undefined ? earlier : [...earlier, resourceVersion];
  return {
    ...last,
    ...cause,
    times: last.times + 1,
    ...(revisions.length > 0 ? { earlier: revisions.slice(-earlierKept) } : {}),
  };
}

/**
 * Adds a cause, keeping the newest `kept`: for ignored causes, whose latest are the most useful.
 */
export function addLatestCause(
  causes: readonly RecordedCause[],
  cause: QueueCause,
  at: number,
  kept: number,
): readonly RecordedCause[] {
  const { causes: folded } = addCause({ ...noCauses, causes }, cause, at, Infinity);
  return folded.slice(Math.max(0, folded.length - kept));
}
