// Records in bytewise order of their keys, as a list of short sorted blocks: an insert among a
// hundred thousand keys moves at most a few hundred entries. Knows nothing of revisions.
// Upstream: go.etcd.io/etcd/server/v3/storage/mvcc/index.go (treeIndex).
import { compareBytewise } from "homeostat/api";

/** Anything that has a key. */
export interface Keyed {
  readonly key: string;
}

/** Larger blocks are split in two. */
const maxBlock = 512;

/** Keeps records sorted by key; one record per key. */
export class OrderedRecords<R extends Keyed> {
  readonly #blocks: R[][] = [];
  /** Incremented when positions may have moved, so that iterations find theirs again. */
  #changes = 0;

  /** Adds a record with a new key. */
  add(record: R): void {
    this.#changes++;
    if (!this.#blocks.length) {
      this.#blocks.push([record]);
      return;
    }
    const b = this.#blockFor(record.key);
    const block = this.#blocks[b]!;
    block.splice(lowerBound(block, record.key), 0, record);
    if (block.length > maxBlock) this.#blocks.splice(b + 1, 0, block.splice(block.length >> 1));
  }

  /** Removes the record of a key, if any. */
  remove(key: string): void {
    const b = this.#blockFor(key);
    const block = this.#blocks[b];
    if (!block) return;
    const at = lowerBound(block, key);
    if (block[at]?.key !== key) return;
    this.#changes++;
    block.splice(at, 1);
    if (!block.length) this.#blocks.splice(b, 1);
  }

  /**
   * Records in order, from `start` (inclusive) on. Records may be added and removed during
   * iteration.
   */
  *from(start: string): Generator<R, void, undefined> {
    let b = this.#blockFor(start);
    let at = this.#blocks[b] ? lowerBound(this.#blocks[b]!, start) : 0;
    while (b < this.#blocks.length) {
      const block = this.#blocks[b]!;
      if (at >= block.length) {
        b++;
        at = 0;
        continue;
      }
      const record = block[at]!;
      const changes = this.#changes;
      yield record;
      if (changes === this.#changes) at++;
      else {
        b = this.#blockFor(record.key);
        at = this.#blocks[b] ? lowerBound(this.#blocks[b]!, record.key) : 0;
        if (this.#blocks[b]?.[at]?.key === record.key) at++;
      }
    }
  }

  /**
   * How many records stand behind `key` whose keys begin with `prefix`, as `key` does, and that
   * `matches`. A page of a list counts all that follow it, so this walks the blocks themselves.
   */
  countAfter(key: string, prefix: string, matches: (record: R) => boolean): number {
    let count = 0;
    let from = -1;
    for (let b = this.#blockFor(key); b < this.#blocks.length; b++) {
      const block = this.#blocks[b]!;
      if (from === -1) {
        from = lowerBound(block, key);
        if (block[from]?.key === key) from++;
      }
      const whole = block.at(-1)!.key.startsWith(prefix);
      for (; from < block.length; from++) {
        if (!whole && !block[from]!.key.startsWith(prefix)) return count;
        if (matches(block[from]!)) count++;
      }
      from = 0;
    }
    return count;
  }

  /** Index of the last block that does not begin after `key`; 0 when all do. */
  #blockFor(key: string): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (precedesOrEquals(this.#blocks[middle]![0]!.key, key)) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

function lowerBound(block: readonly Keyed[], key: string): number {
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (precedesOrEquals(key, block[middle]!.key)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const precedesOrEquals = (a: string, b: string): boolean => compareBytewise(a, b) <= 0;
