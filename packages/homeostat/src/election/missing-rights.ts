// Which rights to Leases the server has refused, and when that is said: in one line soon after the
// first refusal, and rarely again while they are missing.
import { isForbidden } from "../api/status.ts";
import type { Clock } from "../runtime/clock.ts";
import { describeError } from "../util/describe-error.ts";

export type LeaseVerb = "get" | "list" | "watch" | "create" | "update" | "delete";

/** Whose rights, and to what. */
export interface MissingRightsOptions {
  readonly clock: Clock;
  readonly namespace: string;
  /** `Lease shop/orders`, or `Leases of ring orders`. */
  readonly what: string;
  /** What a replica that lacks them cannot do, such as `lead`. */
  readonly needed: string;
  readonly retryPeriodMs: number;
  warn(message: string): void;
}

/** Refusals within this time are one line: the watch and the first read begin together. */
const gatherMs = 500;
const repeatMs = 600_000;

/** The rights that are missing. */
export class MissingRights {
  readonly #options: MissingRightsOptions;
  readonly #refusals = new Map<LeaseVerb, string>();
  /** The rights that were named last, and when. */
  #named = "";
  #namedAt = -Infinity;
  #isGathering = false;

  constructor(options: MissingRightsOptions) {
    this.#options = options;
  }

  /** True when the error is a refusal, which is said here. */
  refused(verb: LeaseVerb, error: unknown): boolean {
    if (!isForbidden(error)) return false;
    this.#refusals.set(verb, describeError(error));
    this.#sayLater();
    return true;
  }

  granted(verb: LeaseVerb): void {
    if (this.#refusals.delete(verb)) this.#named = "";
  }

  /** Why the replica cannot do its work; undefined when it can without the missing rights. */
  reason(): string | undefined {
    return this.#isBlocked() ? this.#describe() : undefined;
  }

  #isBlocked(): boolean {
    return [...this.#refusals.keys()].some((verb) => verb !== "watch" && verb !== "delete");
  }

  #sayLater(): void {
    const { clock, warn } = this.#options;
    const isSaid = this.#named === this.#verbs() && clock.monotonic() - this.#namedAt < repeatMs;
    if (isSaid || this.#isGathering) return;
    this.#isGathering = true;
    clock.timer(gatherMs, () => {
      this.#isGathering = false;
      if (this.#refusals.size === 0) return;
      this.#named = this.#verbs();
      this.#namedAt = clock.monotonic();
      warn(this.#describe());
    });
  }

  #verbs(): string {
    return [...this.#refusals.keys()].toSorted().join(" and ");
  }

  #describe(): string {
    const { namespace, what, needed, retryPeriodMs } = this.#options;
    const without = this.#refusals.has("watch")
      ? `cannot be watched, so that it is read every ${retryPeriodMs / 1000} s`
      : "cannot be tidied, so that Leases of replicas that have ended stay";
    const effect = this.#isBlocked()
      ? `cannot be used, so that this replica does not ${needed}`
      : without;
    const [refusal] = this.#refusals.values();
    return `the ${what} ${effect}: this user may not ${this.#verbs()} leases.coordination.k8s.io in namespace ${namespace}; grant it by a Role there, as \`homeostat generate\` writes it (${refusal})`;
  }
}
