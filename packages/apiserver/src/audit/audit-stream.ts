// The events of a server for programs in its process.
import { type AuditEvent, type AuditRecord, formatEvent } from "./audit-event.ts";

/**
 * The events of a server from the moment at which one asks for them. Iterating ends when the server
 * closes; an iteration that nobody goes on with keeps its events.
 */
export interface AuditStream extends AsyncIterable<AuditEvent> {
  /**
   * Calls `listener` with each event before the request goes on; the last one of a request that is
   * no watch comes before its response. Returns a function that ends this. A listener must not
   * throw.
   */
  subscribe(listener: (event: AuditEvent) => void): () => void;
}

/** The stream and its source. */
export interface OpenAuditStream {
  readonly stream: AuditStream;
  process(record: AuditRecord): void;
  close(): void;
}

/** Opens a stream. */
export function openAuditStream(): OpenAuditStream {
  const listeners = new Set<(event: AuditEvent) => void>();
  const iterations = new Set<Iteration>();
  let isOpen = true;
  const subscribe: AuditStream["subscribe"] = (listener) => {
    // The same function may listen twice.
    const own = (event: AuditEvent): void => listener(event);
    listeners.add(own);
    return () => void listeners.delete(own);
  };
  return {
    stream: {
      subscribe,
      [Symbol.asyncIterator]() {
        const iteration = new Iteration(() => {
          iterations.delete(iteration);
          unsubscribe();
        });
        const unsubscribe = subscribe((event) => iteration.push(event));
        iterations.add(iteration);
        if (!isOpen) iteration.end();
        return iteration;
      },
    },
    process(record) {
      if (listeners.size === 0) return;
      const event = eventOf(record);
      for (const listener of listeners) listener(event);
    },
    close() {
      isOpen = false;
      for (const iteration of iterations) iteration.end();
    },
  };
}

/** A body that is no JSON is a text. */
function eventOf(record: AuditRecord): AuditEvent {
  const line = formatEvent(record);
  if (line !== undefined) return JSON.parse(line) as AuditEvent;
  const { requestObject } = record;
  const rest = JSON.parse(formatEvent({ ...record, requestObject: undefined })!) as AuditEvent;
  return requestObject && "text" in requestObject
    ? { ...rest, requestObject: requestObject.text }
    : rest;
}

/** Hands events on in order; those that come before they are asked for wait. */
class Iteration implements AsyncIterator<AuditEvent, undefined> {
  readonly #events: AuditEvent[] = [];
  readonly #waiting: ((result: IteratorResult<AuditEvent, undefined>) => void)[] = [];
  readonly #ended: () => void;
  #isOpen = true;

  constructor(ended: () => void) {
    this.#ended = ended;
  }

  push(event: AuditEvent): void {
    const wake = this.#waiting.shift();
    if (wake) wake({ done: false, value: event });
    else this.#events.push(event);
  }

  async next(): Promise<IteratorResult<AuditEvent, undefined>> {
    const event = this.#events.shift();
    if (event) return { done: false, value: event };
    if (!this.#isOpen) return { done: true, value: undefined };
    return await new Promise((resolve) => this.#waiting.push(resolve));
  }

  async return(): Promise<IteratorResult<AuditEvent, undefined>> {
    this.#events.length = 0;
    this.end();
    return { done: true, value: undefined };
  }

  /** Events that wait are still handed on. */
  end(): void {
    this.#isOpen = false;
    this.#ended();
    for (const wake of this.#waiting.splice(0)) wake({ done: true, value: undefined });
  }
}
