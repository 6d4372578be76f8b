// Splits a stream of chunks into lines, without copying lines that are within one chunk. A line is
// valid only during the call: it may be a subarray of the chunk.

const newline = 10;

export interface LineSplitterOptions {
  /** Passes empty lines, too. */
  readonly keepsEmpty?: boolean;
}

/** Passes lines to `line`, without newline; keeps an incomplete line for the next chunk. */
export class LineSplitter {
  readonly #line: (line: Uint8Array) => unknown;
  readonly #keepsEmpty: boolean;
  #rest: Uint8Array[] = [];

  constructor(line: (line: Uint8Array) => unknown, options: LineSplitterOptions = {}) {
    this.#line = line;
    this.#keepsEmpty = options.keepsEmpty ?? false;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#emit(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#rest.push(chunk.subarray(start));
  }

  /** Passes an unfinished line. */
  end(): void {
    if (this.#rest.length > 0) this.#emit(new Uint8Array());
  }

  /** Bytes of an unfinished line. */
  get pending(): number {
    return this.#rest.reduce((sum, part) => sum + part.length, 0);
  }

  #emit(part: Uint8Array): void {
    const line = this.#rest.length ? Buffer.concat([...this.#rest, part]) : part;
    this.#rest = [];
    if (line.length > 0 || this.#keepsEmpty) this.#line(line);
  }
}
