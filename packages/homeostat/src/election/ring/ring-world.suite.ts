// A world of members and a server for tests: each member has a clock of its own that runs fast or
// slow, requests and answers take their time or get lost, processes are killed and stopped. All
// times are the world's, in ms.
import type { OtherMember, MemberRecord, RingEffect, RingInput, RingState } from "./ring-state.ts";
import { isOverdue, type Moment } from "../election.machine.ts";
import { defaultTimings } from "../election-timings.ts";
import { MinHeap } from "../../util/min-heap.ts";
import { ringDue, stepRing } from "./ring.machine.ts";
import { initialRing, type RingLimits } from "./ring-state.ts";
import { allSlots, listSlots, noSlots, type SlotSet, without } from "./slot-set.ts";

export const worldSlots = 16;

/** What may go wrong, as probabilities, and how long things take. */
export interface Weather {
  readonly lostAnswers: number;
  /** Of requests that the server executes long after their client has given up. */
  readonly lateRequests: number;
  readonly delayMs: number;
  readonly drainMs: number;
}

export const calm: Weather = { lostAnswers: 0, lateRequests: 0, delayMs: 20, drainMs: 100 };

interface Happening {
  readonly at: number;
  readonly order: number;
  run(): void;
  heapIndex: number;
}

interface StoredLease {
  readonly record: MemberRecord;
  /** Wall time of the member that wrote it. */
  readonly renewTime: string;
}

/** The world. */
export class RingWorld {
  now = 0;
  weather: Weather = calm;
  readonly members: SimulatedMember[] = [];
  readonly random: () => number;
  readonly #leases = new Map<string, StoredLease>();
  readonly #happenings = new MinHeap<Happening>(
    (a, b) => a.at < b.at || (a.at === b.at && a.order < b.order),
  );
  #order = 0;
  #revision = 100;

  constructor(random: () => number) {
    this.random = random;
  }

  /** A process starts. */
  join(identity?: string): SimulatedMember {
    const member = new SimulatedMember(this, `lease-${this.members.length}`, identity);
    this.members.push(member);
    member.step({ type: "tick" });
    member.step({ type: "watching", is: true });
    return member;
  }

  after(ms: number, run: () => void): void {
    this.#happenings.push({ at: this.now + ms, order: this.#order++, run, heapIndex: -1 });
  }

  /** Lets time go by; `check` is called after everything that happens. */
  run(until: number, check: () => void): void {
    for (
      let next = this.#happenings.peek();
      next && next.at <= until;
      next = this.#happenings.peek()
    ) {
      this.#happenings.pop();
      this.now = next.at;
      next.run();
      check();
    }
    this.now = until;
  }

  /** Executes what a member asks for. */
  execute(member: SimulatedMember, effect: RingEffect): RingInput {
    switch (effect.do) {
      case "list":
        return {
          type: "listed",
          records: Array.from(this.#leases.values(), ({ record }) => record),
          resourceVersion: String(this.#revision),
        };
      case "write":
        return this.#write(member, effect);
      case "delete":
        return this.#delete(member.name, effect.over.resourceVersion)
          ? { type: "removed" }
          : failed("writeFailed");
      case "remove":
        return this.#remove(effect.other);
      default:
        throw new Error(`no request: ${effect.do}`);
    }
  }

  #write(
    member: SimulatedMember,
    { claims, isLeaving, over }: Extract<RingEffect, { do: "write" }>,
  ): RingInput {
    const { name, identity } = member;
    const known = this.#leases.get(name);
    const version = over?.resourceVersion;
    if (over && !known) return { ...failed("writeFailed"), fault: "gone" };
    if (version !== known?.record.resourceVersion)
      return { ...failed("writeFailed"), fault: "changed" };
    const resourceVersion = String(++this.#revision);
    const renewTime = String(this.now);
    const durationMs = defaultTimings.leaseDurationMs;
    const about = {
      name,
      uid: over?.uid ?? `${name}-${resourceVersion}`,
      identity,
      durationMs,
      renewTime,
    };
    const record = { ...about, resourceVersion, claims, isLeaving };
    this.#leases.set(name, { record, renewTime });
    this.#tell({ type: "saw", record });
    return { type: "wrote", own: { uid: record.uid, resourceVersion } };
  }

  #remove(other: OtherMember): RingInput {
    if (!this.#leases.has(other.name)) return { type: "removed" };
    if (this.#delete(other.name, other.resourceVersion)) return { type: "removed" };
    return { ...failed("askFailed"), fault: "changed" };
  }

  #delete(name: string, version: string): boolean {
    const known = this.#leases.get(name);
    if (known?.record.resourceVersion !== version) return false;
    this.#leases.delete(name);
    const record = { ...known.record, resourceVersion: String(++this.#revision) };
    this.#tell({ type: "deleted", record });
    return true;
  }

  #tell(input: RingInput): void {
    for (const member of this.members)
      if (this.random() >= this.weather.lostAnswers / 2)
        this.after(this.random() * this.weather.delayMs, () => member.step(input));
  }
}

const failed = <T extends string>(type: T) =>
  ({ type, fault: "failed", error: "no luck" }) as const;

/** One process. */
export class SimulatedMember {
  readonly name: string;
  readonly identity: string;
  state: RingState = initialRing;
  isAlive = true;
  /** Slots that its gate lets through, and those in which something still runs. */
  gate: SlotSet = noSlots;
  busy: SlotSet = noSlots;
  lostBecause: string | undefined;
  readonly limits: RingLimits;
  readonly #world: RingWorld;
  readonly #rate: number;
  readonly #startedAt: number;
  #isStopped = false;
  #waiting: (() => void)[] = [];
  #timer = 0;

  constructor(world: RingWorld, name: string, identity = `id-${name}`) {
    this.name = name;
    this.identity = identity;
    this.#world = world;
    this.#rate = 0.86 + world.random() * 0.28;
    this.#startedAt = world.now;
    this.limits = { ...defaultTimings, name, identity, slots: worldSlots };
  }

  /** What it could write to now, if it went on at this moment. */
  get mayWrite(): SlotSet {
    const { phase, renewed } = this.state;
    const isOpen =
      this.isAlive &&
      (phase === "member" || phase === "leaving") &&
      renewed !== undefined &&
      !isOverdue(renewed, this.#moment(), this.limits);
    return isOpen ? this.gate | this.busy : noSlots;
  }

  kill(): void {
    this.isAlive = false;
  }

  /** Stops the process, as SIGSTOP. */
  stop(): void {
    this.#isStopped = true;
  }

  /** What came meanwhile is read now. */
  continue(): void {
    this.#isStopped = false;
    for (const run of this.#waiting.splice(0)) run();
  }

  step(input: RingInput): void {
    if (!this.isAlive) return;
    if (this.#isStopped) return void this.#waiting.push(() => this.step(input));
    const now = { ...this.#moment(), chance: this.#world.random() };
    const { state, effects } = stepRing(this.state, input, now, this.limits);
    this.state = state;
    for (const effect of effects) this.#perform(effect);
    this.#arm();
  }

  #moment(): Moment {
    const at = (this.#world.now - this.#startedAt) * this.#rate;
    return { at, wall: 1e12 + at };
  }

  #arm(): void {
    const timer = ++this.#timer;
    const due = ringDue(this.state, this.limits);
    if (due === Infinity) return;
    const afterMs = Math.max(0, due - this.#moment().at) / this.#rate;
    // A little later than asked for, as timers are.
    this.#world.after(afterMs + 0.01, () => {
      if (timer === this.#timer) this.step({ type: "tick" });
    });
  }

  #perform(effect: RingEffect): void {
    switch (effect.do) {
      case "gain":
        this.gate |= effect.slots;
        return;
      case "lose":
        return this.#drain(effect.slots);
      case "lost":
        this.lostBecause = effect.why;
        this.gate = this.busy = noSlots;
        return;
      case "joined":
      case "ended":
        return;
      default:
        return this.#send(effect);
    }
  }

  #drain(slots: SlotSet): void {
    this.gate = without(this.gate, slots);
    this.busy |= slots;
    const { random, weather } = this.#world;
    for (const slot of listSlots(slots)) {
      const one = 1n << BigInt(slot);
      this.#world.after(random() < 0.5 ? 0 : random() * weather.drainMs, () => this.#drained(one));
    }
  }

  #drained(one: SlotSet): void {
    if (!this.isAlive) return;
    if (this.#isStopped) return void this.#waiting.push(() => this.#drained(one));
    this.busy = without(this.busy, one);
    this.step({ type: "drained", slots: one });
  }

  /** A request that is lost, or late, fails after five seconds. */
  #send(effect: RingEffect): void {
    const { random, weather } = this.#world;
    const isLost = random() < weather.lostAnswers;
    const isLate = random() < weather.lateRequests;
    const travelMs = isLate ? random() * 20_000 : random() * weather.delayMs;
    const type = effect.do === "write" || effect.do === "delete" ? "writeFailed" : "askFailed";
    let isOpen = true;
    const answer = (input: RingInput): void => {
      if (isOpen) this.step(input);
      isOpen = false;
    };
    this.#world.after(travelMs, () => {
      const result = this.#world.execute(this, effect);
      const isEnd = effect.do === "delete" && result.type === "removed";
      const input: RingInput = isEnd
        ? { type: "wrote", own: { uid: "", resourceVersion: "0" } }
        : result;
      if (!isLost) this.#world.after(random() * weather.delayMs, () => answer(input));
    });
    if (isLost || isLate) this.#world.after(5000, () => answer(failed(type)));
  }
}

/** All slots, for messages. */
export const everySlot = allSlots(worldSlots);
