// The elections of one manager: a candidate for each term, what the log and the Events say of them,
// and the clients that may write during a term only.
import { hostname } from "node:os";
import type { Client } from "../../client/client.ts";
import { defaultTimings } from "../../election/election-timings.ts";
import { type ElectionReport, Elector } from "../../election/elector.ts";
import {
  createEventRecorder,
  type EventRecorder,
  objectReference,
  type RecordedEvent,
} from "../../events/index.ts";
import { Lease } from "../../k8s/coordination/v1/index.ts";
import { uuid } from "../../runtime/entropy.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Gauge } from "../../metrics/index.ts";
import type { Log } from "../../util/guard-log.ts";
import { type ElectionOptions, timingsOf } from "./election-options.ts";
import { fencedClient, fencedEventClient } from "./fenced-client.ts";
import { readLeaseNamespace } from "./lease-namespace.ts";
import type { EndOfTerm, Terms } from "./terms.ts";

/** How long Events about the Lease may hold up the end of a process. */
const closeTimeoutMs = 1000;

/** What elections need. */
export interface LeadershipOptions {
  readonly operator: string;
  /** Not fenced. */
  readonly client: Client;
  readonly runtime: Runtime;
  readonly election: ElectionOptions;
  /** 1 while this process leads. */
  leaderStatus?(name: string): Gauge;
  log(): Log;
  /** A term begins. */
  led(): void;
  /** A term has ended before it was given up: nothing can be written any more. */
  lost(why: string): void;
}

/** The elections. */
export class Leadership implements Terms {
  readonly #options: LeadershipOptions;
  readonly #identity: string;
  #namespace = "";
  #elector: Elector | undefined;
  /** Aborts when the term is lost. */
  #term = new AbortController();
  #recorder: EventRecorder | undefined;
  readonly #unsaid: RecordedEvent[] = [];
  /** It gives the Lease up by itself, and may still report what it did. */
  #isResigning = false;
  #status: Gauge | undefined;

  constructor(options: LeadershipOptions) {
    this.#options = options;
    const { election, runtime } = options;
    this.#identity = election.identity ?? `${hostname()}_${uuid(runtime.entropy)}`;
  }

  /** Makes the first candidate. @throws ERR_ELECTION_NAMESPACE */
  async open(): Promise<void> {
    const { election, operator, client, runtime } = this.#options;
    this.#namespace = election.namespace ?? (await readLeaseNamespace(this.#options));
    this.#recorder = createEventRecorder({
      // Of whichever candidate is the present one: a recorder outlives terms.
      client: client.with({ fence: (method, path) => this.#refusal(method, path) }),
      runtime,
      controller: this.#identity,
      api: "v1",
      closeTimeoutMs,
      warn: (message) => this.#options.log().warn(message),
    });
    this.#status = this.#options.leaderStatus?.(election.name ?? operator);
    this.#status?.set(0);
    this.next();
  }

  /** Makes the candidate of the next term. */
  next(): void {
    this.#term = new AbortController();
    this.#elector = this.#create();
  }

  /** Stands for election. */
  stand(): void {
    this.#elector!.start();
  }

  get isLeading(): boolean {
    return this.#elector?.report().role === "leading";
  }

  /** `namespace/name`. */
  get lease(): string {
    return `${this.#namespace}/${this.#options.election.name ?? this.#options.operator}`;
  }

  fenced(client: Client): Client {
    return fencedClient(client, this.#elector!.fence);
  }

  fencedForEvents(client: Client): Client {
    return fencedEventClient(client, {
      fence: this.#elector!.fence,
      signal: this.#term.signal,
      isResigning: () => this.#isResigning,
    });
  }

  #refusal(method: string, path: string): Error | undefined {
    return this.#isResigning ? undefined : this.#elector!.fence.refusal(method, path);
  }

  /** Gives the Lease up, unless a reconcile still runs. */
  async resign({ isBusy, over }: EndOfTerm): Promise<void> {
    this.#isResigning = this.isLeading;
    const isReleased = isBusy ? this.#elector?.abandon() : await this.#elector?.resign(over);
    this.#status?.set(0);
    if (isReleased) this.#options.log().info(`released the Lease ${this.lease}`);
  }

  /** Sends the Events that are left. */
  async close(): Promise<void> {
    this.#sayAll();
    await this.#recorder?.close();
  }

  shards(): undefined {
    return undefined;
  }

  leave(): void {}

  reasons(): readonly string[] {
    return this.#elector?.reasons() ?? [];
  }

  election(): ElectionReport | undefined {
    return this.#elector?.report();
  }

  ring(): undefined {
    return undefined;
  }

  #create(): Elector {
    const { client, runtime, election, operator, led, lost } = this.#options;
    const term = this.#term;
    const warn = (message: string): void => this.#options.log().warn(message);
    return new Elector({
      client: client.with({ fieldManager: operator }),
      runtime,
      name: election.name ?? operator,
      namespace: this.#namespace,
      identity: this.#identity,
      timings: { ...defaultTimings, ...timingsOf(election) },
      led: () => {
        this.#status?.set(1);
        this.#options.log().info(`leading as ${this.#identity}`, { lease: this.lease });
        led();
      },
      lost: (why) => {
        this.#status?.set(0);
        term.abort(new Error(`the Lease ${this.lease} is lost`));
        lost(why);
      },
      holder: (holder) => this.#sayHolder(holder),
      event: (lease, note) => this.#say(lease, note),
      warn,
    });
  }

  /** An Event may need a new connection, for which no reconcile is to wait. */
  #say(lease: Lease, note: string): void {
    const regarding = objectReference(Lease, lease);
    const event = { regarding, type: "Normal", reason: "LeaderElection", note } as const;
    this.#unsaid.push(event);
    this.#options.runtime.clock.timer(0, () => this.#sayAll());
  }

  #sayAll(): void {
    for (const event of this.#unsaid.splice(0)) this.#recorder!.record(event);
  }

  #sayHolder(holder: string | undefined): void {
    if (holder === undefined || holder === this.#identity) return;
    this.#options.log().info(`standing by: ${holder} leads`, { lease: this.lease });
  }
}
