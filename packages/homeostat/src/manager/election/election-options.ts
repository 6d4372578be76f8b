// The option `election` of a manager.
import { checkTimings, type ElectionTimings } from "../../election/election-timings.ts";
import { describeValue } from "../../util/describe-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../../util/option-faults.ts";
import { pickSet } from "../../util/pick-set.ts";

/** How the replicas of an operator elect the one that works. */
export interface ElectionOptions extends Partial<ElectionTimings> {
  /** The name of the Lease. Default: the operator's. */
  readonly name?: string;
  /** The namespace of the Lease. Default: the pod's, or outside of a pod the client's. */
  readonly namespace?: string;
  /** The name of this replica, no other's. Default: the host's name and a random part. */
  readonly identity?: string;
  /**
   * What a standby does. `warm`, the default: its caches are filled and its queues hold what there
   * is to do, so that it works at the moment at which it leads. `cold`: it watches nothing for
   * controllers that need election, and fills its caches once it leads.
   */
  readonly standby?: "warm" | "cold";
  /**
   * What a manager does that has lost the Lease, once its reconciles have ended. `end`, the
   * default: it stops and `run` rejects with ERR_ELECTION_LOST, so that the process starts afresh,
   * as controller-runtime's. `standBy`: it stands by again with its caches, the only way with
   * `clusters`; a reconcile that does not end within `shutdownTimeoutMs` stops it.
   */
  readonly whenLost?: "end" | "standBy";
}

const known = [
  "name",
  "namespace",
  "identity",
  "standby",
  "whenLost",
  "leaseDurationMs",
  "renewDeadlineMs",
  "retryPeriodMs",
] as const satisfies readonly (keyof ElectionOptions)[];

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The problems of the option of an operator's manager. */
export function checkElection(
  given: unknown,
  { operator, clusters }: { readonly operator?: unknown; readonly clusters?: unknown },
): readonly string[] {
  if (given === undefined) return [];
  if (!isOptions(given)) return [`election is ${describeMissing(given)}, expected { namespace }`];
  const { name = operator, namespace, identity, standby, whenLost } = given;
  const problems = [
    ...unknownOptions(given, known),
    ...(typeof name === "string" && name.length <= 253 && subdomain.test(name)
      ? []
      : [`name is ${describeValue(name)}, expected a name that a Lease can have, such as orders`]),
    ...checkText("namespace", namespace),
    ...checkText("identity", identity),
    ...checkChoice("standby", standby, ["warm", "cold"]),
    ...checkChoice("whenLost", whenLost, ["end", "standBy"]),
    ...(clusters !== undefined && whenLost === "end"
      ? ["whenLost is 'end', expected 'standBy', because other clusters are not concerned"]
      : []),
    ...checkTimings(timingsOf(given)),
  ];
  return problems.map((problem) => `election.${problem}`);
}

/** The timings that are set. */
export function timingsOf(given: Partial<ElectionTimings>): Partial<ElectionTimings> {
  return pickSet(given, ["leaseDurationMs", "renewDeadlineMs", "retryPeriodMs"]);
}

/** A text that is not empty, or none. */
export function checkText(name: string, text: unknown): readonly string[] {
  if (text === undefined || (typeof text === "string" && text !== "")) return [];
  return [`${name} is ${describeValue(text)}, expected a text`];
}

export function checkChoice(
  name: string,
  given: unknown,
  words: readonly string[],
): readonly string[] {
  if (given === undefined || words.includes(given as string)) return [];
  const expected = words.map((word) => `'${word}'`).join(" or ");
  return [`${name} is ${describeValue(given)}, expected ${expected}`];
}
