// When controllers may work, where an operator has several replicas: by an election one of them at
// a time, by sharding each of them for its share of the objects.
import type { Client } from "../../client/client.ts";
import type { ControllerDefinition } from "../../controller/define-controller.ts";
import type { KeyShards } from "../../controller/shard/key-shards.ts";
import type { ElectionReport } from "../../election/elector.ts";
import type { RingReport } from "../../election/ring/ring-member.ts";

/** How a term ends. */
export interface EndOfTerm {
  /** A reconcile still runs: what it works on is left to nobody before the Lease expires. */
  readonly isBusy: boolean;
  /** Aborts when requests of the term are to be broken off. */
  readonly over: AbortSignal;
}

/** The terms of one manager, one after the other. */
export interface Terms {
  /** Makes what the first term needs. @throws ERR_ELECTION_NAMESPACE */
  open(): Promise<void>;
  /** Prepares the next term. */
  next(): void;
  /** Asks for the term to begin. */
  stand(): void;
  /** True during a term. */
  readonly isLeading: boolean;
  /** `namespace/name` of the Lease. */
  readonly lease: string;
  /** A client that writes during the present term only. */
  fenced(client: Client): Client;
  /**
   * As `fenced`, for Events: those that are left when the term is given up are sent, and hold
   * nothing up; when it is lost, none is.
   */
  fencedForEvents(client: Client): Client;
  /** Which objects of a controller are this replica's; undefined for all. */
  shards(definition: ControllerDefinition): KeyShards | undefined;
  /** The term ends soon: controllers begin no reconcile any more. */
  leave(): void;
  /** Ends the term, and gives it up when nothing is reconciled any more. */
  resign(end: EndOfTerm): Promise<void>;
  /** Sends the Events that are left. */
  close(): Promise<void>;
  /** Why this replica is not ready. */
  reasons(): readonly string[];
  election(): ElectionReport | undefined;
  ring(): RingReport | undefined;
}
