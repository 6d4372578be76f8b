// Bounds how many cached objects keep their parsed view: the oldest parsed is given up first.
import { Fifo } from "../util/fifo.ts";

/** Something whose view can be given up. */
interface Coolable {
  cool(): void;
}

/** The parsed views of one cache. */
export class HotViews {
  readonly #limit: number;
  readonly #order = new Fifo<Coolable>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(entry: Coolable): void {
    this.#order.push(entry);
    if (this.#order.size > this.#limit) this.#order.shift()!.cool();
  }
}
