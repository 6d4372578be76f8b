// Follows over all controllers of a manager which run caused which, by the revisions that the runs
// write: a chain that passes through the same key again and again is a loop over several keys. A
// run that anything else may have triggered starts a chain. Pure.
import { formatObjectKey } from "../../api/gvk.ts";
import type { CompletedWrite } from "../../client/client.ts";
import { writtenRevision } from "../../client/completed-write.ts";
import type { RecordedCause } from "../../queue/workqueue.ts";
import { objectId } from "../echo/run-record.ts";

/** Revisions whose writer is remembered. */
const revisionsKept = 4000;
/** Keys of a chain that are remembered. */
const linksKept = 32;

/** One key of one controller. */
export interface ChainKey {
  readonly id: string;
  /** For people, e.g. `cook of Meal kitchen/soup`. */
  readonly title: string;
}

/** A key in a chain, with the number of times that the chain has come to it. */
interface Link extends ChainKey {
  readonly visits: number;
}

/** The keys of a chain, the latest last. */
type Chain = readonly Link[];

/** How a chain has come back to the key of a run. */
export interface Return {
  /** Times that it has come to this key. */
  readonly visits: number;
  /** The other keys since the last time. */
  readonly through: readonly string[];
}

/** One run in its chain. */
export interface ChainRun {
  /** A request of the run has changed an object. */
  wrote(write: CompletedWrite): void;
  /** Undefined unless other keys have caused the run, and this key them. */
  returned(): Return | undefined;
}

/** The writes of one manager. */
export class WriteChains {
  readonly #written = new Map<string, Chain>();

  /** Number of remembered revisions. */
  get size(): number {
    return this.#written.size;
  }

  /** A run begins. Its causes are looked up late: a change may arrive before its response. */
  begin(key: ChainKey, causes: readonly RecordedCause[], droppedCauses = 0): ChainRun {
    let chain: Chain | undefined;
    const parent = droppedCauses > 0 ? undefined : () => this.#parent(key, causes);
    const found = (): Chain => (chain ??= parent?.() ?? []);
    return {
      wrote: (write) => this.#keep(write, next(found(), key)),
      returned: () => returnTo(found(), key),
    };
  }

  /** True when a run of this manager has written all that a cause stands for. */
  isOurs(cause: RecordedCause): boolean {
    return this.#chainsOf(cause) !== undefined;
  }

  #keep(write: CompletedWrite, chain: Chain): void {
    const object = objectId(write.kind, formatObjectKey(write.key));
    const revision = writtenRevision(write);
    if (revision !== undefined) this.#written.delete(deletionOf(object));
    const id = revision === undefined ? deletionOf(object) : `${object}@${revision}`;
    this.#written.delete(id);
    this.#written.set(id, chain);
    if (this.#written.size <= revisionsKept) return;
    const [oldest] = this.#written.keys();
    this.#written.delete(oldest!);
  }

  /** The chain that leads to a run; empty when something else may have triggered it. */
  #parent(key: ChainKey, causes: readonly RecordedCause[]): Chain {
    const changes = causes.filter(({ source }) => source !== "retry");
    const found = changes.map((cause) => this.#chainsOf(cause));
    if (found.includes(undefined)) return [];
    const visits = (chain: Chain): number => returnTo(chain, key)?.visits ?? 0;
    const chains = found.flatMap((one) => one!);
    return chains.reduce((best, one) => (visits(one) >= visits(best) ? one : best), []);
  }

  /** Undefined when another writer may be among the changes that a cause stands for. */
  #chainsOf({ object, resourceVersion, earlier = [], times }: RecordedCause) {
    if (object === undefined || resourceVersion === undefined) return undefined;
    if (times > earlier.length + 1) return undefined;
    const chains = [...earlier, resourceVersion].map(
      (revision) =>
        this.#written.get(`${object}@${revision}`) ?? this.#written.get(deletionOf(object)),
    );
    return chains.includes(undefined) ? undefined : (chains as readonly Chain[]);
  }
}

const deletionOf = (object: string): string => `${object}@`;

function returnTo(chain: Chain, { id }: ChainKey): Return | undefined {
  const last = chain.findIndex((link) => link.id === id);
  if (last < 0 || last === chain.length - 1) return undefined;
  return {
    visits: chain[last]!.visits + 1,
    through: chain.slice(last + 1).map(({ title }) => title),
  };
}

function next(chain: Chain, key: ChainKey): Chain {
  const before = chain.find(({ id }) => id === key.id);
  const visits = returnTo(chain, key)?.visits ?? before?.visits ?? 1;
  return [...chain.filter((link) => link !== before), { ...key, visits }].slice(-linksKept);
}
