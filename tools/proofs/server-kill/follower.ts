// A watch that outlives the server: it resumes at its last revision and must receive every later
// change in order, or fail because the revision is too old. Stores what it saw, so that old
// revisions can be read again.
import type { Transport } from "../../../packages/homeostat/src/api/transport.ts";
import { Fault, isOurs, type Knowledge, type Shown } from "./knowledge.ts";
import type { Collection } from "./load.ts";
import { watchLines } from "./wire.ts";

interface Line {
  readonly type: string;
  readonly object: Shown & { readonly code?: number };
}

export class Follower {
  readonly #collection: Collection;
  readonly #knowledge: Knowledge;
  /** Revisions of all changes seen, in order, since the last list. */
  #seen: number[] = [];
  #acknowledged: number[] = [];
  #reached = 0;
  #running: { readonly ended: Promise<number>; stop(): void } | undefined;
  readonly #live = new Map<string, number>();
  fault: unknown;
  events = 0;
  /** How often a revision was too old. */
  tooOld = 0;

  constructor(collection: Collection, knowledge: Knowledge) {
    this.#collection = collection;
    this.#knowledge = knowledge;
  }

  noteWrite(revision: number): void {
    this.#acknowledged.push(revision);
  }

  /**
   * Goes on from where it is, or from a list where there is nowhere to go on from; resolves once it
   * has all that the list has.
   */
  async resume(
    transport: Transport,
    found: ReadonlyMap<string, Shown>,
    listRevision: number,
  ): Promise<void> {
    if (this.#reached === 0) this.#startOver(found, listRevision);
    this.#watch(transport);
    const giveUp = Date.now() + 20_000;
    while (!this.#holds(found)) {
      if (this.fault) throw this.fault;
      if (this.#reached === 0) return await this.resume(transport, found, listRevision);
      if (Date.now() > giveUp)
        throw new Fault(
          `watch of ${this.#collection.path}: at ${this.#reached}, and not yet what a list at ${listRevision} holds`,
        );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const seen = new Set(this.#seen);
    const missed = this.#acknowledged.filter((revision) => !seen.has(revision));
    if (missed.length)
      throw new Fault(
        `watch of ${this.#collection.path}: acknowledged writes ${missed.join(", ")} were never seen`,
      );
    this.#acknowledged = [];
  }

  /** Waits for the end that the server's end brings. */
  async afterKill(): Promise<void> {
    await this.#running?.ended;
    if (this.fault) throw this.fault;
  }

  /** Asks once more for what came after an old revision: the same again, or too old. */
  async askAgain(transport: Transport, chance: () => number): Promise<void> {
    if (!this.#seen.length) return;
    const from = Math.floor(chance() * this.#seen.length);
    const expected = this.#seen.slice(from + 1);
    const again: number[] = [];
    const { ended, stop } = watchLines(
      transport,
      `${this.#collection.path}?watch=1&timeoutSeconds=5&resourceVersion=${this.#seen[from]}`,
      (line) => {
        const { type, object } = line as Line;
        if (type === "ERROR") {
          if (object.code !== 410)
            throw new Fault(`an old watch of ${this.#collection.path}: ${JSON.stringify(object)}`);
          this.tooOld++;
          return stop();
        }
        if (!isOurs(object)) return;
        again.push(this.#take(type, object).revision);
        if (again.length >= expected.length) stop();
      },
    );
    if (!expected.length) stop();
    await ended;
    const same = again.every((revision, i) => revision === expected[i]);
    if (!same)
      throw new Fault(
        `an old watch of ${this.#collection.path} from ${this.#seen[from]}: ${again.slice(0, 20).join()} where there had been ${expected.slice(0, 20).join()}`,
      );
    if (again.length && again.length !== expected.length)
      throw new Fault(
        `an old watch of ${this.#collection.path}: ${again.length} changes of ${expected.length}`,
      );
  }

  #watch(transport: Transport): void {
    this.#running = watchLines(
      transport,
      `${this.#collection.path}?watch=1&allowWatchBookmarks=true&resourceVersion=${this.#reached}`,
      (line) => this.#event(line as Line),
    );
    this.#running.ended.catch((error: unknown) => (this.fault = error));
  }

  #event({ type, object }: Line): void {
    if (type === "ERROR") {
      if (object.code !== 410)
        throw new Fault(`watch of ${this.#collection.path}: ${JSON.stringify(object)}`);
      this.tooOld++;
      this.#reached = 0;
      return;
    }
    if (type === "BOOKMARK") return void (this.#reached = Number(object.metadata.resourceVersion));
    if (!isOurs(object)) return;
    const { key, revision } = this.#take(type, object);
    if (revision <= this.#reached)
      throw new Fault(`watch of ${this.#collection.path}: ${revision} after ${this.#reached}`);
    this.#reached = revision;
    this.#seen.push(revision);
    this.events++;
    const before = this.#live.get(key);
    if ((type === "ADDED") !== (before === undefined))
      throw new Fault(
        `watch of ${this.#collection.path}: ${type} ${key} at ${revision}, before it was at ${before}`,
      );
    if (type === "DELETED") this.#live.delete(key);
    else this.#live.set(key, revision);
  }

  #take(type: string, object: Shown): { readonly key: string; readonly revision: number } {
    const key = `${this.#collection.path}/${object.metadata.name}`;
    const revision = Number(object.metadata.resourceVersion);
    if (type === "DELETED") this.#knowledge.seeDeletion(key, revision);
    else this.#knowledge.see(key, object);
    return { key, revision };
  }

  #startOver(found: ReadonlyMap<string, Shown>, listRevision: number): void {
    this.#reached = listRevision;
    this.#seen = [];
    this.#acknowledged = [];
    this.#live.clear();
    for (const [key, { metadata }] of found)
      if (key.startsWith(`${this.#collection.path}/`))
        this.#live.set(key, Number(metadata.resourceVersion));
  }

  #holds(found: ReadonlyMap<string, Shown>): boolean {
    let count = 0;
    for (const [key, { metadata }] of found) {
      if (!key.startsWith(`${this.#collection.path}/`)) continue;
      if (this.#live.get(key) !== Number(metadata.resourceVersion)) return false;
      count++;
    }
    return count === this.#live.size;
  }
}
