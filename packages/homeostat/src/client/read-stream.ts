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
export async function* readStream<T>(
  open: (inbox: Inbox<T>) => OpenStream,
): AsyncGenerator<T, void, void> {
  const inbox = new Inbox<T>();
  const stream = open(inbox);
  try {
    for (;;) {
      const next = await inbox.next(() => stream.resume());
      if (!next) return;
      yield next.item;
    }
  } finally {
    stream.close();
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
