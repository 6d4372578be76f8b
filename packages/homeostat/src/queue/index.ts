/**
 * The work queue of controllers, usable alone: it holds each key once, never gives a key to two
 * workers, and loses none.
 * @module homeostat/queue
 */
export { createWorkQueue } from "./create-workqueue.ts";
export {
  createKeyedWorkers,
  type KeyedWorkers,
  type KeyedWorkersOptions,
  reportAfterFailures,
  type SyncKey,
} from "./keyed-workers.ts";
export type { Rate } from "./token-bucket.ts";
export type {
  AddOptions,
  QueueCause,
  QueueItem,
  QueueKeyReport,
  QueueObserver,
  RecordedCause,
  RetryOptions,
  WorkQueue,
  WorkQueueOptions,
} from "./workqueue.ts";
