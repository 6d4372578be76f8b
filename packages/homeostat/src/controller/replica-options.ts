// Where a controller works, when its operator has several replicas.
import type { ShardBy } from "./shard/key-shards.ts";

/** Which of several replicas reconcile. */
export interface ReplicaOptions {
  /** False: it works in every replica, also in those that stand by. Default true. */
  readonly needLeaderElection?: boolean;
  /**
   * What one replica reconciles together, where replicas share the objects: each object by itself,
   * all of a namespace, or all of the controller, for work on the whole cluster. Default `object`.
   */
  readonly shardBy?: ShardBy;
}
