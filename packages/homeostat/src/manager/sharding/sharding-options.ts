// The option `sharding` of a manager.
import { checkTimings, type ElectionTimings } from "../../election/election-timings.ts";
import { describeValue } from "../../util/describe-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../../util/option-faults.ts";
import { checkChoice, checkText, timingsOf } from "../election/election-options.ts";

/** How the replicas of an operator share its objects. */
export interface ShardingOptions extends Partial<ElectionTimings> {
  /** The name of the ring, the same in all replicas. Default: the operator's. */
  readonly name?: string;
  /** The namespace of the Leases. Default: the pod's, or outside of a pod the client's. */
  readonly namespace?: string;
  /**
   * The name of this replica, no other's at any time, such as that of a StatefulSet's pod: a
   * replica that starts again then takes its share back at once. Default: the host's name and a
   * random part.
   */
  readonly identity?: string;
  /**
   * What a manager does that could not renew its Lease in time. `end`, the default: it stops and
   * `run` rejects with ERR_ELECTION_LOST, so that the process starts afresh. `rejoin`: it joins the
   * ring again with its caches, the only way with `clusters`; a reconcile that does not end within
   * `shutdownTimeoutMs` stops it.
   */
  readonly whenLost?: "end" | "rejoin";
}

const known = [
  "name",
  "namespace",
  "identity",
  "whenLost",
  "leaseDurationMs",
  "renewDeadlineMs",
  "retryPeriodMs",
] as const satisfies readonly (keyof ShardingOptions)[];

/** What a label and a Lease can be named by. */
const ringName = /^[a-z0-9]([-a-z0-9]{0,48}[a-z0-9])?$/;

/** The problems of the option of an operator's manager. */
export function checkSharding(
  given: unknown,
  others: {
    readonly operator?: unknown;
    readonly clusters?: unknown;
    readonly election?: unknown;
  },
): readonly string[] {
  if (given === undefined) return [];
  if (!isOptions(given)) return [`sharding is ${describeMissing(given)}, expected { namespace }`];
  const { name = others.operator, namespace, identity, whenLost } = given;
  const problems = [
    ...unknownOptions(given, known),
    ...(typeof name === "string" && ringName.test(name)
      ? []
      : [`name is ${describeValue(name)}, expected at most 50 characters such as orders`]),
    ...checkText("namespace", namespace),
    ...checkText("identity", identity),
    ...checkChoice("whenLost", whenLost, ["end", "rejoin"]),
    ...(others.clusters !== undefined && whenLost === "end"
      ? ["whenLost is 'end', expected 'rejoin', because other clusters are not concerned"]
      : []),
    ...checkTimings(timingsOf(given)),
  ].map((problem) => `sharding.${problem}`);
  return others.election === undefined
    ? problems
    : [...problems, "sharding: expected without `election`, because every replica works"];
}
