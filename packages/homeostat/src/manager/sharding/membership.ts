// The memberships of one manager in the ring of its operator's replicas, one after the other, what
// the log and the metrics say of them, and the clients that may write during one only.
import { hostname } from "node:os";
import type { Client } from "../../client/client.ts";
import type { ControllerDefinition } from "../../controller/define-controller.ts";
import { KeyShards } from "../../controller/shard/key-shards.ts";
import { defaultTimings } from "../../election/election-timings.ts";
import { RingMember, type RingReport } from "../../election/ring/ring-member.ts";
import { uuid } from "../../runtime/entropy.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Log } from "../../util/guard-log.ts";
import { timingsOf } from "../election/election-options.ts";
import { fencedClient, fencedEventClient } from "../election/fenced-client.ts";
import { readLeaseNamespace } from "../election/lease-namespace.ts";
import type { EndOfTerm, Terms } from "../election/terms.ts";
import type { RingGauges } from "../metrics/ring-metrics.ts";
import { describeRing, isSettled } from "./describe-ring.ts";
import type { ShardingOptions } from "./sharding-options.ts";

/** What memberships need. */
export interface MembershipOptions {
  readonly operator: string;
  /** Not fenced. */
  readonly client: Client;
  readonly runtime: Runtime;
  readonly sharding: ShardingOptions;
  /** Shows the ring. */
  ringGauges?(ring: string): RingGauges;
  log(): Log;
  /** A membership begins. */
  joined(): void;
  /** One has ended before it was given up: nothing can be written any more. */
  lost(why: string): void;
}

/** The memberships. */
export class Membership implements Terms {
  readonly #options: MembershipOptions;
  readonly #identity: string;
  readonly #ring: string;
  #namespace = "";
  #member: RingMember | undefined;
  /** Aborts when the membership is lost. */
  #term = new AbortController();
  /** It gives its Lease up by itself, and may still report what it did. */
  #isResigning = false;
  #gauges: RingGauges | undefined;
  #saidSlots = 0;
  #said = "";

  constructor(options: MembershipOptions) {
    this.#options = options;
    const { sharding, runtime, operator } = options;
    this.#identity = sharding.identity ?? `${hostname()}_${uuid(runtime.entropy)}`;
    this.#ring = sharding.name ?? operator;
  }

  async open(): Promise<void> {
    const { sharding } = this.#options;
    this.#namespace = sharding.namespace ?? (await readLeaseNamespace(this.#options));
    this.#gauges = this.#options.ringGauges?.(this.#ring);
    this.next();
  }

  next(): void {
    this.#term = new AbortController();
    this.#member = this.#create();
  }

  stand(): void {
    this.#member!.start();
  }

  get isLeading(): boolean {
    const { role } = this.#member!.report();
    return role === "member" || role === "leaving";
  }

  get lease(): string {
    return this.#member!.report().lease;
  }

  fenced(client: Client): Client {
    return fencedClient(client, this.#member!.fence);
  }

  fencedForEvents(client: Client): Client {
    return fencedEventClient(client, {
      fence: this.#member!.fence,
      signal: this.#term.signal,
      isResigning: () => this.#isResigning,
    });
  }

  shards({ name, shardBy }: ControllerDefinition): KeyShards {
    return new KeyShards(this.#member!.gate, name, shardBy);
  }

  leave(): void {
    this.#member?.leave();
  }

  /** The member knows by its gate in which slots reconciles run. */
  async resign({ over }: EndOfTerm): Promise<void> {
    this.#isResigning = this.isLeading;
    const isReleased = await this.#member?.resign(over);
    this.#gauges?.show(undefined);
    if (isReleased) this.#options.log().info(`left the ring of ${this.#ring}`);
  }

  async close(): Promise<void> {}

  reasons(): readonly string[] {
    const { role, lastError, lease } = this.#member!.report();
    if (role !== "joining") return [];
    const because = lastError === undefined ? "" : `: ${lastError}`;
    return [
      `the Lease ${lease}, by which this replica shares the objects, is not written${because}`,
    ];
  }

  election(): undefined {
    return undefined;
  }

  ring(): RingReport | undefined {
    return this.#member?.report();
  }

  #create(): RingMember {
    const { client, runtime, sharding, operator, joined, lost } = this.#options;
    const term = this.#term;
    return new RingMember({
      client: client.with({ fieldManager: operator }),
      runtime,
      ring: this.#ring,
      namespace: this.#namespace,
      name: `${this.#ring}-${uuid(runtime.entropy).slice(0, 12).replace("-", "")}`,
      identity: this.#identity,
      timings: { ...defaultTimings, ...timingsOf(sharding) },
      joined: () => {
        this.#options.log().info(`joined the ring of ${this.#ring} as ${this.#identity}`, {
          lease: this.lease,
        });
        joined();
      },
      changed: (report) => this.#sayRing(report),
      lost: (why) => {
        this.#gauges?.show(undefined);
        this.#saidSlots = 0;
        term.abort(new Error("the membership is lost"));
        lost(why);
      },
      warn: (message) => this.#options.log().warn(message),
    });
  }

  /** Once for each ring, when this replica has what is for it. */
  #sayRing(report: RingReport): void {
    this.#gauges?.show(report);
    if (!isSettled(report)) return;
    const ring = `${report.lease} ${report.members.join()} ${report.slots.owned}`;
    if (ring === this.#said) return;
    this.#said = ring;
    this.#options.log().info(describeRing(report, this.#saidSlots));
    this.#saidSlots = report.slots.owned;
  }
}
