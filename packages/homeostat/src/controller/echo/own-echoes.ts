// Drops the changes that a controller has caused itself and knows already, so that a write costs no
// second reconcile. A change may arrive before the response to its write, so what arrives while a
// key is processed is held until the run has ended. Only single changes from the watch can be
// dropped: what is found by listing may contain the changes of others.
import type { QueueCause, RecordedCause, WorkQueue } from "../../queue/workqueue.ts";
import type { RunRecord } from "./run-record.ts";

interface KeyEchoes {
  /** The record of the running run. */
  record: RunRecord | undefined;
  held: HeldChange[] | undefined;
  /** Revisions written by the last two runs that have not arrived, and whether they are known. */
  last: Map<string, boolean> | undefined;
  older: Map<string, boolean> | undefined;
}

interface HeldChange {
  readonly revision: string;
  readonly cause: RecordedCause;
}

/** Changes held for one key; more are added at once, so that the key is reconciled again. */
const heldAtMost = 1000;

/** The own changes of one controller, by key. */
export class OwnEchoes {
  readonly #keys = new Map<string, KeyEchoes>();
  readonly #queue: Pick<WorkQueue, "add" | "ignore">;
  readonly #now: () => number;

  /** `now` is the wall time in ms. */
  constructor(queue: Pick<WorkQueue, "add" | "ignore">, now: () => number) {
    this.#queue = queue;
    this.#now = now;
  }

  /** Number of keys for which something is kept. */
  get size(): number {
    return this.#keys.size;
  }

  /** A run begins. */
  begin(key: string, record: RunRecord): void {
    const older = this.#keys.get(key)?.last;
    this.#keys.set(key, { record, held: undefined, last: undefined, older });
  }

  /**
   * A change has arrived through the watch. Returns true when the caller must not add the key: the
   * change is dropped, or held until the run ends.
   */
  takes(key: string, revision: string, cause: QueueCause): boolean {
    const echoes = this.#keys.get(key);
    if (!echoes) return false;
    if (!echoes.record) return this.#drops(key, echoes, { revision, cause });
    const held = (echoes.held ??= []);
    if (held.length >= heldAtMost) return false;
    held.push({ revision, cause: { ...cause, at: this.#now(), times: 1 } });
    return true;
  }

  /** A change has arrived that something else drops. */
  arrived(key: string, revision: string): void {
    const echoes = this.#keys.get(key);
    if (!echoes) return;
    echoes.last?.delete(revision);
    echoes.older?.delete(revision);
    this.#forgetEmpty(key, echoes);
  }

  /** A run has ended, with all of its requests: adds what was held and is not known. */
  end(key: string): void {
    const echoes = this.#keys.get(key);
    if (!echoes?.record) return;
    const { record, held = [], older } = echoes;
    echoes.last = record.revisions();
    if (record.started !== undefined && older?.has(record.started)) older.set(record.started, true);
    echoes.record = undefined;
    echoes.held = undefined;
    for (const change of held)
      if (!this.#drops(key, echoes, change)) this.#queue.add(key, { cause: change.cause });
    this.#forgetEmpty(key, echoes);
  }

  /** The object of a key is gone. */
  forget(key: string): void {
    if (!this.#keys.get(key)?.record) this.#keys.delete(key);
  }

  /** What is held for a key that is being processed. */
  held(key: string): readonly RecordedCause[] {
    return this.#keys.get(key)?.held?.map(({ cause }) => cause) ?? [];
  }

  #drops(
    key: string,
    echoes: KeyEchoes,
    { revision, cause }: { readonly revision: string; readonly cause: QueueCause },
  ): boolean {
    const { last, older } = echoes;
    const isKnown = last?.get(revision) ?? older?.get(revision) ?? false;
    this.arrived(key, revision);
    if (isKnown) this.#queue.ignore(key, { ...cause, what: `${cause.what} by its own reconcile` });
    return isKnown;
  }

  #forgetEmpty(key: string, { record, last, older }: KeyEchoes): void {
    if (!record && !last?.size && !older?.size) this.#keys.delete(key);
  }
}
