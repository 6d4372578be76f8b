// Drives one candidate for a Lease from its first look to the end of its term: sends what the
// machine asks for, keeps its timer and its watch, and opens and shuts the fence. An elector is
// used once; who stands again makes a new one.
// Upstream: k8s.io/client-go/tools/leaderelection/leaderelection.go (LeaderElector).
import { isApiStatusError, isNotFound } from "../api/status.ts";
import type { Client, RequestOptions } from "../client/client.ts";
import { Lease } from "../k8s/coordination/v1/index.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { describeError } from "../util/describe-error.ts";
import {
  type ElectionEffect,
  type ElectionInput,
  type ElectionLimits,
  electionDue,
  type ElectionState,
  initialElection,
  stepElection,
} from "./election.machine.ts";
import type { ElectionTimings } from "./election-timings.ts";
import { holderOf } from "./lease-record.ts";
import { LeaseDriver, stopped } from "./lease-driver.ts";
import type { LeaseVerb } from "./missing-rights.ts";
import type { WriteFence } from "./write-fence.ts";

/** What an elector works with, and whom it tells. */
export interface ElectorOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly name: string;
  readonly namespace: string;
  readonly identity: string;
  readonly timings: ElectionTimings;
  /** Called when the term begins; the fence is open. */
  led(): void;
  /** Called when the term ends before it is given up; the fence is shut. */
  lost(why: string): void;
  /** Called for the first holder that is seen, and for each change. */
  holder(identity: string | undefined): void;
  /** What the log of Events says of this candidate: `became leader`. */
  event(lease: Lease, text: string): void;
  /** Requests fail; or the watch is refused, so that taking over is as slow as upstream's. */
  warn(message: string): void;
}

/** What a candidate knows. */
export interface ElectionReport {
  readonly role: "standing by" | "leading" | "ended";
  readonly identity: string;
  /** `namespace/name`. */
  readonly lease: string;
  /** Undefined when nobody holds the Lease, or it has not been seen. */
  readonly holder: string | undefined;
  /** How often the Lease has changed hands. */
  readonly transitions: number | undefined;
  /** Wall time in ms at which the last renewal that succeeded was sent. */
  readonly renewedAt: number | undefined;
  /** How long its answer took. */
  readonly renewalMs: number | undefined;
  readonly lastError: string | undefined;
}

/** One candidate. */
export class Elector {
  readonly fence: WriteFence;
  readonly #options: ElectorOptions;
  readonly #limits: ElectionLimits;
  readonly #driver: LeaseDriver;
  #state: ElectionState = initialElection;
  #renewalMs: number | undefined;
  #hasReleased = false;
  /** Why the last read failed. */
  #readError: string | undefined;

  constructor(options: ElectorOptions) {
    const { client, runtime, name, namespace, identity, timings, warn } = options;
    const lease = `Lease ${namespace}/${name}`;
    this.#options = options;
    this.#limits = { ...timings, identity };
    this.#driver = new LeaseDriver({
      client,
      runtime,
      timings,
      selection: { namespace, fieldSelector: `metadata.name=${name}` },
      what: lease,
      needed: "lead",
      right: `lead by the ${lease}`,
      saw: (seen, isDeleted) =>
        this.#step({ type: "saw", lease: isDeleted ? undefined : seen, by: "watch" }),
      watching: (is) => this.#step({ type: "watching", is }),
      tick: () => this.#step({ type: "tick" }),
      warn,
    });
    this.fence = this.#driver.fence;
  }

  start(): void {
    this.#driver.start();
    this.#step({ type: "start" });
  }

  /**
   * Shuts the fence and gives the Lease up, unless a write has no answer within a second, or the
   * release none before `over` aborts: then it expires by itself. Idempotent; resolves to true when
   * it has given the Lease up.
   */
  async resign(over?: AbortSignal): Promise<boolean> {
    await this.#driver.giveUp(over, {
      release: (isSettled) => {
        if (isSettled) this.#step({ type: "resign" });
        else this.abandon();
      },
      end: () => this.#end(),
    });
    return this.#hasReleased;
  }

  /** Why this candidate cannot lead. */
  reasons(): readonly string[] {
    const { phase, seen } = this.#state;
    if (phase !== "standing by") return [];
    const unread = seen === undefined ? this.#readError : undefined;
    const because = unread && `the Lease ${this.report().lease} cannot be read: ${unread}`;
    const reason = this.#driver.rights.reason() ?? because;
    return reason === undefined ? [] : [reason];
  }

  /** Shuts the fence and leaves the Lease to expire: what it guards goes on. */
  abandon(): false {
    this.fence.shut(stopped);
    this.#end();
    return false;
  }

  report(): ElectionReport {
    const { phase, seen, renewed, lastError } = this.#state;
    const { identity, name, namespace } = this.#options;
    const lease = seen?.lease;
    return {
      role: phase === "resigning" ? "leading" : phase,
      identity,
      lease: `${namespace}/${name}`,
      holder: lease && holderOf(lease),
      transitions: lease?.spec?.leaseTransitions,
      renewedAt: renewed?.wall,
      renewalMs: this.#renewalMs,
      lastError,
    };
  }

  #step(input: ElectionInput): void {
    const now = this.#driver.now();
    const { state, effects } = stepElection(this.#state, input, now, this.#limits);
    this.#hasReleased ||= input.type === "wrote" && this.#state.asking?.what === "release";
    this.#state = state;
    if (state.renewed && state.phase === "leading") this.fence.open(state.renewed);
    for (const effect of effects) this.#perform(effect);
    this.#driver.tickAt(electionDue(this.#state, this.#limits));
  }

  #perform(effect: ElectionEffect): void {
    const { led, lost, holder, warn } = this.#options;
    switch (effect.do) {
      case "read":
        return void this.#read();
      case "write":
        return void this.#write(effect.spec, effect.over);
      case "rewatch":
        return this.#driver.rewatch();
      case "led":
        this.#say("became leader");
        return led();
      case "holder":
        return holder(effect.holder);
      case "failing":
        if (this.#driver.rights.reason() !== undefined) return;
        return warn(`the Lease ${this.report().lease}: ${effect.error}`);
      case "lost":
        this.fence.shut(effect.why);
        this.#end();
        return lost(effect.why);
      case "ended":
        if (this.#state.renewed) this.#say("stopped leading");
        return this.#end();
    }
  }

  #say(text: string): void {
    const lease = this.#state.seen?.lease;
    if (lease) this.#options.event(lease, `${this.#options.identity} ${text}`);
  }

  #end(): void {
    this.#state = { ...this.#state, phase: "ended" };
    this.#driver.end("the election is over");
  }

  async #read(): Promise<void> {
    const { name, namespace } = this.#options;
    await this.#call("get", async (options) => {
      const lease = await this.#driver.client.find(Lease, { name, namespace }, options);
      this.#readError = undefined;
      return { type: "saw", lease, by: "read" };
    });
  }

  async #write(spec: NonNullable<Lease["spec"]>, over: Lease | undefined): Promise<void> {
    const { name, namespace, runtime } = this.#options;
    const sentAt = runtime.clock.monotonic();
    await this.#call(over ? "update" : "create", async (options) => {
      const lease = over
        ? await this.#driver.client.update(Lease, { ...over, spec }, options)
        : await this.#driver.client.create(Lease, { metadata: { name, namespace }, spec }, options);
      this.#renewalMs = runtime.clock.monotonic() - sentAt;
      return { type: "wrote", lease };
    });
  }

  async #call(
    verb: LeaseVerb,
    send: (options: RequestOptions) => Promise<ElectionInput>,
  ): Promise<void> {
    const answered = this.#driver.call(verb, send, (error) => {
      this.#driver.rights.refused(verb, error);
      if (verb === "get") this.#readError = describeError(error);
      return toFailure(error);
    });
    this.#step(await answered);
  }
}

const toFailure = (error: unknown): ElectionInput => ({
  type: "failed",
  outdated: isOutdated(error),
  error: describeError(error),
});

/** The Lease is gone, is there already, or has changed. */
function isOutdated(error: unknown): boolean {
  return isNotFound(error) || (isApiStatusError(error) && error.status.code === 409);
}
