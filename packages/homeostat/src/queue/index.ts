/**
 * The work queue that controllers stand on, usable alone: each key at most once, never with two
 * workers, none forgotten.
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
export type {
  AddOptions,
  QueueCause,
  QueueItem,
  QueueKeyReport,
  QueueObserver,
  RecordedCause,
  WorkQueue,
  WorkQueueOptions,
} from "./workqueue.ts";
