// Whether the replicas of an operator elect one that works, or share the objects.
import { Membership } from "./membership.ts";
import { beginTerm, endTerm } from "../election/elected-work.ts";
import { Leadership } from "../election/leadership.ts";
import { needsElection } from "../election/needs-election.ts";
import type { Terms } from "../election/terms.ts";
import type { ManagerState } from "../manager-state.ts";

/** Undefined for an operator of one replica, and where each replica runs all controllers. */
export function createTerms(state: ManagerState): Terms | undefined {
  const { runtime, options, definitions } = state;
  if (!definitions.some(needsElection)) {
    const given = options.sharding ? "sharding" : "election";
    if (options[given])
      state.log.warn(
        `${given} has no effect: each controller has needLeaderElection: false, and runs in every replica`,
      );
    return undefined;
  }
  const { operator, client, metrics, election, sharding } = options;
  const shared = {
    operator,
    client,
    runtime,
    log: () => state.log,
    lost: (why: string) => endTerm(state, why),
  };
  const begin = (): void => beginTerm(state);
  if (sharding) {
    const gauges = metrics ? { ringGauges: metrics.ringGauges } : {};
    return new Membership({ ...shared, ...gauges, sharding, joined: begin });
  }
  if (!election) return undefined;
  const status = metrics ? { leaderStatus: metrics.leaderStatus } : {};
  return new Leadership({ ...shared, ...status, election, led: begin });
}
