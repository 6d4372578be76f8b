// A transport for tests: every request waits until the test responds. No sockets.
import type { Json } from "../api/json.ts";
import type { Exchange, Sink, Transport, TransportRequest } from "../api/transport.ts";

const encoder = new TextEncoder();

/** A running request, controlled by the test. */
export class ScriptedExchange implements Exchange {
  readonly request: TransportRequest;
  readonly url: URL;
  aborted = false;
  paused = false;
  resumed = 0;
  readonly #sink: Sink;
  #ended = false;

  constructor(request: TransportRequest, sink: Sink) {
    this.request = request;
    this.url = new URL(request.path, "http://server.invalid");
    this.#sink = sink;
  }

  get query(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.url.searchParams);
  }

  get body(): Json {
    return this.request.body && JSON.parse(new TextDecoder().decode(this.request.body));
  }

  /** Sends a complete response. */
  answer(status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): void {
    this.head(status, headers);
    this.chunk(typeof body === "string" ? body : JSON.stringify(body));
    this.end();
  }

  /** Sends an error as API servers do. */
  refuse(code: number, reason: string, details: object = {}): void {
    const headers =
      "retryAfterSeconds" in details ? { "retry-after": String(details.retryAfterSeconds) } : {};
    this.answer(
      code,
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: `refused: ${reason}`,
        reason,
        details,
        code,
      },
      headers,
    );
  }

  head(status = 200, headers: Readonly<Record<string, string>> = {}): this {
    if (!this.#ended) this.#sink.head(status, headers);
    return this;
  }

  chunk(text: string): this {
    if (!this.#ended) this.paused = !this.#sink.data(encoder.encode(text));
    return this;
  }

  /** Sends lines of a watch. */
  lines(...events: readonly unknown[]): this {
    for (const event of events) this.chunk(`${JSON.stringify(event)}\n`);
    return this;
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#sink.end();
  }

  fail(error: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#sink.fail(error);
  }

  resume(): void {
    this.resumed++;
  }

  abort(reason?: unknown): void {
    this.aborted = true;
    this.fail(reason instanceof Error ? reason : new Error("aborted"));
  }
}

/** The transport and its requests. */
export interface ScriptedTransport extends Transport {
  readonly exchanges: ScriptedExchange[];
  /** The latest request. */
  readonly last: ScriptedExchange;
}

/** Creates a transport; `respond` may respond at once, otherwise the test does later. */
export function createScriptedTransport(
  respond: (exchange: ScriptedExchange) => void = () => {},
): ScriptedTransport {
  const exchanges: ScriptedExchange[] = [];
  return {
    exchanges,
    get last() {
      return exchanges.at(-1)!;
    },
    send(request, sink) {
      const exchange = new ScriptedExchange(request, sink);
      exchanges.push(exchange);
      queueMicrotask(() => respond(exchange));
      return exchange;
    },
    close: () => Promise.resolve(),
  };
}
