// A pushed stream as an async iterable, with back-pressure: the stream pauses while the reader is
// behind.

/** Number of buffered items at which the stream pauses. */
const highWater = 256;

/** A stream that is open. */
export interface OpenStream {
  resume(): void;
  close(): void;
}

/** Iterates over what `open` makes the inbox receive. `open` is called when iteration starts. */
export const readStream = <T>(
  open: (inbox: Inbox<T>) => OpenStream,
): AsyncIterableIterator<T, void, void> => new StreamReader(open);

/**
 * The reader's side. No generator: that would keep the stream open after `return()` until its next
 * item comes.
 */
class StreamReader<T> implements AsyncIterableIterator<T, void, void> {
  readonly #open: (inbox: Inbox<T>) => OpenStream;
  readonly #inbox = new Inbox<T>();
  #stream: OpenStream | undefined;
  #isOver = false;
  /** Readers that do not wait for each other get their items in turn. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: (inbox: Inbox<T>) => OpenStream) {
    this.#open = open;
  }

  next(): Promise<IteratorResult<T, void>> {
    const next = this.#last.then(() => this.#read());
    this.#last = next.catch(() => {});
    return next;
  }

  return(): Promise<IteratorResult<T, void>> {
    this.#finish();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #read(): Promise<IteratorResult<T, void>> {
    if (this.#isOver) return { done: true, value: undefined };
    try {
      this.#stream ??= this.#open(this.#inbox);
      const next = await this.#inbox.next(() => this.#stream?.resume());
      if (next && !this.#isOver) return { done: false, value: next.item };
    } catch (error) {
      this.#finish();
      throw error;
    }
    this.#finish();
    return { done: true, value: undefined };
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#inbox.close(undefined);
    this.#stream?.close();
  }
}

/** Buffers items between stream and reader. */
export class Inbox<T> {
  #items: { readonly item: T }[] = [];
  #wake: (() => void) | undefined;
  #end: { readonly error: Error | undefined } | undefined;
  #paused = false;

  push(item: T): void {
    this.#items.push({ item });
    this.#wake?.();
  }

  /** Runs `feed`, which pushes; an error ends the stream. False when the stream must pause. */
  feed(feed: () => void): boolean {
    try {
      feed();
    } catch (error) {
      this.close(error as Error);
    }
    this.#paused = this.#items.length >= highWater;
    return !this.#paused;
  }

  close(error: Error | undefined): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** The next item; undefined at the end. Throws the error that ended the stream. */
  async next(resume: () => void): Promise<{ readonly item: T } | undefined> {
    while (this.#items.length === 0 && !this.#end)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    const next = this.#items.shift();
    if (this.#paused && this.#items.length === 0) {
      this.#paused = false;
      resume();
    }
    if (!next && this.#end?.error) throw this.#end.error;
    return next;
  }
}
