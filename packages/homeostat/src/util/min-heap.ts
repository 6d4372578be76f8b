// A binary heap whose members store their position, so that any member can be moved or removed in
// O(log n). `heapIndex` belongs to the heap while the member is inside.

/** A member of a heap. */
export interface HeapMember {
  /** Position in the heap, -1 outside; only the heap sets it. */
  heapIndex: number;
}

/** Smallest first, by `before`. */
export class MinHeap<T extends HeapMember> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    item.heapIndex = this.#items.length;
    this.#items.push(item);
    this.#up(item.heapIndex);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    if (first) this.remove(first);
    return first;
  }

  /** Removes a member; no effect for one that is not inside. */
  remove(item: T): void {
    const at = item.heapIndex;
    if (at < 0) return;
    item.heapIndex = -1;
    const last = this.#items.pop()!;
    if (last === item) return;
    this.#put(at, last);
    this.update(last);
  }

  /** Restores the order after a change of a member's rank. */
  update(item: T): void {
    this.#up(item.heapIndex);
    this.#down(item.heapIndex);
  }

  #up(from: number): void {
    const item = this.#items[from]!;
    let at = from;
    while (at > 0) {
      const parent = this.#items[(at - 1) >> 1]!;
      if (!this.#before(item, parent)) break;
      this.#put(at, parent);
      at = (at - 1) >> 1;
    }
    this.#put(at, item);
  }

  #down(from: number): void {
    const item = this.#items[from]!;
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.#items.length) break;
      const right = left + 1;
      const child =
        right < this.#items.length && this.#before(this.#items[right]!, this.#items[left]!)
          ? right
          : left;
      if (!this.#before(this.#items[child]!, item)) break;
      this.#put(at, this.#items[child]!);
      at = child;
    }
    this.#put(at, item);
  }

  #put(at: number, item: T): void {
    this.#items[at] = item;
    item.heapIndex = at;
  }
}
