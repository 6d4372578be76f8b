// Drives one membership of a ring from its first list to its end: sends what the machine asks for,
// keeps its timer and its watch, opens and shuts the gate and the fence. It is used once; a process
// that joins again makes a new one, with another Lease.
import { isNotFound } from "../../api/status.ts";
import type { Client, RequestOptions } from "../../client/client.ts";
import { Lease } from "../../k8s/coordination/v1/index.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { describeError } from "../../util/describe-error.ts";
import type { ElectionTimings } from "../election-timings.ts";
import { LeaseDriver, stopped } from "../lease-driver.ts";
import type { LeaseVerb } from "../missing-rights.ts";
import { isSameFailure } from "../same-failure.ts";
import type { WriteFence } from "../write-fence.ts";
import {
  asUpdate,
  type MemberLease,
  memberLease,
  memberRecord,
  ringLabel,
} from "./member-lease.ts";
import { ringDue, stepRing } from "./ring.machine.ts";
import {
  initialRing,
  type OtherMember,
  ownedSlots,
  type OwnLease,
  type RingEffect,
  type RingInput,
  type RingLimits,
  type RingState,
} from "./ring-state.ts";
import { ShardGate } from "./shard-gate.ts";
import { ringSlots } from "./slot-ring.ts";
import { faultOf } from "./write-fault.ts";
import { countSlots, noSlots, without } from "./slot-set.ts";

/** What a member works with, and whom it tells. */
export interface RingMemberOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  /** The name of the ring. */
  readonly ring: string;
  readonly namespace: string;
  /** The name of the Lease: no other process ever uses it. */
  readonly name: string;
  readonly identity: string;
  readonly timings: ElectionTimings;
  /** Called when it is a member; the fence is open, and it has no slots yet. */
  joined(): void;
  /** Called when the members or the slots of this one have changed. */
  changed(report: RingReport): void;
  /** Called when the membership ends before it is given up; the fence is shut. */
  lost(why: string): void;
  warn(message: string): void;
}

/** What a member knows of its ring. */
export interface RingReport {
  readonly role: "joining" | "member" | "leaving" | "ended";
  readonly identity: string;
  /** `namespace/name`. */
  readonly lease: string;
  readonly ring: string;
  /** The identities of those that share the slots, this one included. */
  readonly members: readonly string[];
  /** The number of slots of the ring, of those that this member reconciles and is to reconcile. */
  readonly slots: { readonly all: number; readonly owned: number; readonly wanted: number };
  /** Slots that are to go to others, in which reconciles run. */
  readonly draining: number;
  /** Wall time in ms at which the last renewal that succeeded was sent. */
  readonly renewedAt: number | undefined;
  readonly lastError: string | undefined;
}

/** One membership. */
export class RingMember {
  readonly fence: WriteFence;
  readonly gate: ShardGate;
  readonly #options: RingMemberOptions;
  readonly #limits: RingLimits;
  readonly #driver: LeaseDriver;
  readonly #selection: { readonly namespace: string; readonly labelSelector: string };
  readonly #inputs: RingInput[] = [];
  #isStepping = false;
  #isResigning = false;
  #state: RingState = initialRing;
  /** The own Lease as the server last sent it. */
  #lease: Lease | undefined;
  #hasReleased = false;
  /** The failure to join that was said last. */
  #said: string | undefined;

  constructor(options: RingMemberOptions) {
    const { client, runtime, name, namespace, ring, identity, timings, warn } = options;
    this.#options = options;
    this.#limits = { ...timings, identity, name, slots: ringSlots };
    this.#selection = { namespace, labelSelector: `${ringLabel}=${ring}` };
    this.gate = new ShardGate(ringSlots, (slots) => this.#step({ type: "drained", slots }));
    this.#driver = new LeaseDriver({
      client,
      runtime,
      timings,
      selection: this.#selection,
      what: `ring ${ring} of Leases`,
      needed: "share the objects",
      right: `share the objects by the Lease ${namespace}/${name}`,
      saw: (lease, isDeleted) => this.#saw(lease, isDeleted),
      watching: (is) => this.#step({ type: "watching", is }),
      tick: () => this.#step({ type: "tick" }),
      warn,
    });
    this.fence = this.#driver.fence;
  }

  start(): void {
    this.#driver.start();
    this.#step({ type: "tick" });
  }

  /** Takes no slots any more, and gives up each as soon as nothing is reconciled in it. */
  leave(): void {
    if (this.#state.phase !== "leaving") this.#step({ type: "leave" });
  }

  /**
   * Ends the membership, when no reconcile begins any more. Shuts the fence; slots in which a
   * reconcile has not ended, or all that are left while a write has no answer for a second, are
   * left to expire, and so is the Lease when `over` aborts. Idempotent; resolves to true when the
   * Lease is deleted.
   */
  async resign(over?: AbortSignal): Promise<boolean> {
    this.#isResigning = true;
    await this.#driver.giveUp(over, {
      release: (isSettled) => {
        // Not before: what has no answer may still be executed.
        if (isSettled) this.leave();
        if (!isSettled || this.gate.draining() !== noSlots) this.#end();
        this.fence.shut(stopped);
      },
      end: () => this.#end(),
    });
    return this.#hasReleased;
  }

  report(): RingReport {
    const { phase, members, wanted, held, drained, renewed, lastError } = this.#state;
    const { identity, name, namespace, ring } = this.#options;
    const owned = ownedSlots(this.#state);
    return {
      role: phase,
      identity,
      lease: `${namespace}/${name}`,
      ring,
      members,
      slots: { all: ringSlots, owned: countSlots(owned), wanted: countSlots(wanted) },
      draining: countSlots(without(held, owned | drained)),
      renewedAt: renewed?.wall,
      lastError,
    };
  }

  /** Handles inputs one after the other, also those that an effect of one causes. */
  #step(input: RingInput): void {
    this.#inputs.push(input);
    if (this.#isStepping) return;
    this.#isStepping = true;
    const before = this.#state;
    for (let next = this.#inputs.shift(); next; next = this.#inputs.shift()) this.#take(next);
    this.#isStepping = false;
    this.#driver.tickAt(ringDue(this.#state, this.#limits));
    const isNews =
      before.members !== this.#state.members ||
      ownedSlots(before) !== ownedSlots(this.#state) ||
      before.wanted !== this.#state.wanted;
    if (isNews && this.#state.phase === "member") this.#options.changed(this.report());
  }

  #take(input: RingInput): void {
    const { state, effects } = stepRing(this.#state, input, this.#driver.now(), this.#limits);
    this.#state = state;
    if (state.renewed && (state.phase === "member" || state.phase === "leaving"))
      this.fence.open(state.renewed);
    for (const effect of effects) this.#perform(effect);
  }

  #saw(lease: Lease, isDeleted: boolean): void {
    const record = memberRecord(lease, ringSlots);
    this.#step({ type: isDeleted ? "deleted" : "saw", record });
  }

  #perform(effect: RingEffect): void {
    switch (effect.do) {
      case "list":
        return void this.#list();
      case "write":
        return void this.#write(effect);
      case "delete":
        return void this.#delete(effect.over);
      case "remove":
        return void this.#remove(effect.other);
      case "gain":
        return this.gate.gain(effect.slots);
      case "lose":
        return this.gate.lose(effect.slots);
      case "joined":
        return this.#options.joined();
      case "lost":
        this.fence.shut(effect.why);
        this.#end();
        this.gate.close();
        return this.#options.lost(effect.why);
      case "ended":
        return this.#end();
    }
  }

  #end(): void {
    this.#state = { ...this.#state, phase: "ended" };
    this.#driver.end("the membership has ended");
  }

  async #list(): Promise<void> {
    await this.#call("list", async (options) => {
      // Without a resourceVersion: as the server has them now.
      const given = { ...this.#selection, ...options, pageSize: 0 };
      const { items, resourceVersion } = await this.#driver.client.list(Lease, given);
      const records = items.map((lease) => memberRecord(lease, ringSlots));
      return { type: "listed", records, resourceVersion };
    });
  }

  async #write(effect: Extract<RingEffect, { do: "write" }>): Promise<void> {
    const { over } = effect;
    await this.#call(over ? "update" : "create", async (options) => {
      const { spec, ...naming } = this.#leaseOf(effect);
      const metadata = { ...naming, namespace: this.#options.namespace };
      this.#lease = over
        ? await this.#driver.client.update(Lease, asUpdate(metadata, spec, over), options)
        : await this.#driver.client.create(Lease, { metadata, spec }, options);
      const { uid, resourceVersion } = this.#lease.metadata;
      return { type: "wrote", own: { uid, resourceVersion } };
    });
  }

  #leaseOf({ claims, isLeaving, over }: Extract<RingEffect, { do: "write" }>): MemberLease {
    const { name, ring, identity, timings, runtime } = this.#options;
    const { leaseDurationMs } = timings;
    const own = { name, ring, identity, leaseDurationMs, claims, slots: ringSlots, isLeaving };
    return memberLease(own, over && this.#lease, runtime.clock.now());
  }

  async #delete(over: OwnLease): Promise<void> {
    const { name } = this.#options;
    await this.#call("delete", async (options) => {
      await this.#deleteLease(name, over, options);
      this.#hasReleased = true;
      return { type: "wrote", own: over };
    });
  }

  async #remove(other: OtherMember): Promise<void> {
    await this.#call("remove", async (options) => {
      await this.#deleteLease(other.name, other, options).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      return { type: "removed" };
    });
  }

  /** Only as it was seen: whatever was written meanwhile shows that its member lives. */
  async #deleteLease(name: string, seen: OwnLease, options: RequestOptions): Promise<void> {
    const { namespace } = this.#options;
    const { uid, resourceVersion } = seen;
    await this.#driver.client.delete(
      Lease,
      { name, namespace },
      {
        ...options,
        preconditions: { uid, resourceVersion },
      },
    );
  }

  async #call(
    what: LeaseVerb | "remove",
    send: (options: RequestOptions) => Promise<RingInput>,
  ): Promise<void> {
    const verb = what === "remove" ? "delete" : what;
    const input = await this.#driver.call(verb, send, (error) => this.#failed(what, verb, error));
    // A process that ends does not wait for a server that does not answer.
    if (this.#isResigning && input.type === "writeFailed" && input.fault === "failed")
      return this.#end();
    this.#step(input);
  }

  #failed(what: LeaseVerb | "remove", verb: LeaseVerb, failure: unknown): RingInput {
    const fault = faultOf(failure);
    const error = describeError(failure);
    const isSaid = this.#driver.rights.refused(verb, failure) || isSameFailure(this.#said, error);
    if (!isSaid && fault !== "changed" && this.#state.phase === "joining") {
      this.#said = error;
      this.#options.warn(`the Lease ${this.report().lease}: ${error}`);
    }
    const type = what === "list" || what === "remove" ? "askFailed" : "writeFailed";
    return { type, fault, error };
  }
}
