// Limits how many cached objects stay parsed: the one parsed first is dropped first.
import { Fifo } from "../util/fifo.ts";

/** An entry that can drop its parsed object. */
interface Parsed {
  dropParsed(): void;
}

/** The parsed objects of one cache. */
export class ParsedObjects {
  readonly #limit: number;
  readonly #order = new Fifo<Parsed>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(entry: Parsed): void {
    this.#order.push(entry);
    if (this.#order.size > this.#limit) this.#order.shift()!.dropParsed();
  }
}
