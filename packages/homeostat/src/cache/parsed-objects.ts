// Limits how many cached objects stay parsed, by number and by size: the one parsed first is
// dropped first. An entry that leaves its cache leaves here too, so that a replaced revision is
// garbage as soon as its readers are done with it.

/** An entry that can drop its parsed object. */
interface Parsed {
  /** Length of its text. */
  readonly size: number;
  dropParsed(): void;
}

/** Both are upper limits; the object parsed last is always kept. */
export interface ParsedLimits {
  readonly objects: number;
  /** Of the objects' texts. */
  readonly bytes: number;
}

/** The parsed objects of one cache. */
export class ParsedObjects {
  readonly #limits: ParsedLimits;
  readonly #entries = new Set<Parsed>();
  #bytes = 0;

  constructor(limits: ParsedLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Length of the texts of the parsed objects: in memory, an object is about twice its text. */
  get bytes(): number {
    return this.#bytes;
  }

  add(entry: Parsed): void {
    this.#entries.add(entry);
    this.#bytes += entry.size;
    for (const first of this.#entries) {
      if (first === entry || !this.#exceeded()) return;
      this.remove(first);
      first.dropParsed();
    }
  }

  /** The entry left its cache; what was parsed stays with its readers. */
  remove(entry: Parsed): void {
    if (this.#entries.delete(entry)) this.#bytes -= entry.size;
  }

  #exceeded(): boolean {
    return this.#entries.size > this.#limits.objects || this.#bytes > this.#limits.bytes;
  }
}
