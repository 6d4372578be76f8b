// The priority of a key: the runtime's by cause, or the user's by cause and object. Every addition
// to a controller's queue passes here.
// Upstream: sigs.k8s.io/controller-runtime pkg/handler LowPriority, and pkg/reconcile
// Result.Priority: a retry keeps the priority of its run.
import type { CachedObject } from "../cache/informer.ts";
import type { AddOptions, WorkQueue } from "../queue/workqueue.ts";
import { describeError, describeValue } from "../util/describe-error.ts";
import { dropPromise } from "../util/refuse-promise.ts";
import type { Trigger } from "./trigger.ts";
import type { WarnOnce } from "./warn-once.ts";

/** What a controller's priorities need. */
export interface PriorityOptions {
  readonly queue: WorkQueue;
  readonly controller: string;
  readonly priorityOf: (trigger: Trigger) => number | undefined;
  entry(key: string): CachedObject | undefined;
  readonly warnings: WarnOnce;
}

/** The queue, with the user's priorities. */
export function prioritised(options: PriorityOptions): WorkQueue {
  const { queue } = options;
  const set = <T extends AddOptions>(key: string, added: T): T => {
    const priority = priorityOf(options, key, added);
    return { ...added, priority };
  };
  return {
    ...queue,
    add: (key, added = {}) => queue.add(key, set(key, added)),
    addRateLimited: (key, added = {}) => queue.addRateLimited(key, set(key, added)),
  };
}

/**
 * The default where the function throws, or returns what is no whole number, and for an object that
 * does not match its definition.
 */
function priorityOf(
  { controller, entry, priorityOf: ask, warnings }: PriorityOptions,
  key: string,
  { priority = 0, cause }: AddOptions,
): number {
  const object = entry(key);
  if (!object) return priority;
  const refuse = (what: "threw" | "returned", because: string, error?: unknown): number => {
    if (object.mismatch) return priority;
    const message = `\`priority\` of "${controller}" ${what} ${because}; the default is used`;
    warnings.warn(controller, what, { message, controller, error });
    return priority;
  };
  try {
    const given = ask({ object, source: cause?.source ?? "", priority }) ?? priority;
    if (Number.isSafeInteger(given)) return object.mismatch ? priority : given;
    const what = dropPromise(given) ? "a promise" : describeValue(given);
    return refuse("returned", `${what}, expected a whole number`);
  } catch (error) {
    return refuse("threw", describeError(error), error);
  }
}
