// The faults in effect: which of them hits a request or an event, and what each client has sent.
import { loopbackUser } from "../apimachinery/user-info.ts";
import type { ActiveFault, ClientCount, Fault, FaultMatch, RequestEffect } from "./fault.ts";
import { type Faultable, isWrite, matchesRequest } from "./match-request.ts";

const watchEffects: ReadonlySet<string> = new Set(["freeze", "skip", "close"]);

/** A fault that is in effect, for those that commit it. */
export interface Entry {
  readonly fault: Fault;
  readonly id: string;
  /** The revision of the store when it was added. */
  readonly addedAt: number;
  seen: number;
  hits: number;
  /** Calls `act` when the fault is removed. Returns a function that forgets it. */
  whenRemoved(act: () => void): () => void;
}

class Held implements Entry {
  readonly fault: Fault;
  readonly id: string;
  readonly addedAt: number;
  seen = 0;
  hits = 0;
  /** Undefined once the fault is removed. */
  #waiting: Set<() => void> | undefined = new Set();

  constructor(fault: Fault, id: string, addedAt: number) {
    this.fault = fault;
    this.id = id;
    this.addedAt = addedAt;
  }

  whenRemoved(act: () => void): () => void {
    if (!this.#waiting) act();
    this.#waiting?.add(act);
    return () => void this.#waiting?.delete(act);
  }

  end(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const act of waiting) act();
  }
}

/** A watch whose events faults may hit. */
export interface OpenWatch {
  readonly request: Faultable;
  /** Sends what is held back, unless another fault freezes it. */
  thaw(): void;
  /** Ends it from the server's side. */
  end(): void;
}

/** The faults of one server. */
export class FaultTable {
  readonly #held = new Map<string, Held>();
  readonly #clients = new Map<string, { -readonly [P in keyof ClientCount]: ClientCount[P] }>();
  readonly #streams = new Set<OpenWatch>();
  #next = 1;

  add(fault: Fault, revision: number): ActiveFault {
    const held = new Held(fault, String(this.#next++), revision);
    this.#held.set(held.id, held);
    return activeOf(held);
  }

  remove(id: string): boolean {
    const held = this.#held.get(id);
    if (!held) return false;
    this.#held.delete(id);
    held.end();
    for (const stream of this.#streams) stream.thaw();
    return true;
  }

  clear(): void {
    for (const id of [...this.#held.keys()]) this.remove(id);
  }

  list(): readonly ActiveFault[] {
    return [...this.#held.values()].map(activeOf);
  }

  /** Counts a request, and returns the faults that hit it. */
  request(request: Faultable, isDryRun: boolean): readonly Entry[] {
    this.#count(request, isDryRun);
    return this.#hitting(request, (type) => !watchEffects.has(type));
  }

  /** The first fault that hits an event of a watch. */
  event(request: Faultable): "freeze" | "skip" | "close" | undefined {
    const [first] = this.#hitting(request, (type) => watchEffects.has(type));
    return first?.fault.effect.type as "freeze" | "skip" | "close" | undefined;
  }

  clients(): readonly ClientCount[] {
    return [...this.#clients.values()].map((one) => ({ ...one }));
  }

  opened(stream: OpenWatch): void {
    this.#streams.add(stream);
  }

  closed(stream: OpenWatch): void {
    this.#streams.delete(stream);
  }

  closeWatches(match: FaultMatch): number {
    const found = [...this.#streams].filter(({ request }) => matchesRequest(match, request));
    for (const stream of found) stream.end();
    return found.length;
  }

  #hitting(request: Faultable, isOfType: (type: string) => boolean): readonly Entry[] {
    const hit: Entry[] = [];
    for (const held of this.#held.values()) {
      const { on, after = 0, times = Infinity, effect } = held.fault;
      if (!isOfType(effect.type) || !matchesRequest(on, request)) continue;
      // The server's own requests are hit only by a fault for them.
      if (request.user === loopbackUser.name && on?.user === undefined) continue;
      held.seen++;
      if (held.seen <= after || held.hits >= times) continue;
      held.hits++;
      hit.push(held);
    }
    return hit;
  }

  #count(request: Faultable, isDryRun: boolean): void {
    const { user, userAgent } = request;
    const id = JSON.stringify([user, userAgent]);
    const known = this.#clients.get(id) ?? { user, userAgent, requests: 0, writes: 0 };
    known.requests++;
    if (!isDryRun && isWrite(request)) known.writes++;
    this.#clients.set(id, known);
  }
}

/** The effect of an entry that hits requests. */
export const effectOf = ({ fault }: Entry): RequestEffect => fault.effect as RequestEffect;

const activeOf = ({ fault, id, seen, hits }: Entry): ActiveFault => ({ ...fault, id, seen, hits });
