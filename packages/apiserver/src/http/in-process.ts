// The transport interface to a server core in the same process, for a trusted caller. Bytes,
// headers and back-pressure are those of a socket; nothing is copied. Like a socket, it lets the
// event loop come round: most answers are microtasks, so that a caller that sends the next request
// on each answer, or controllers that wake each other, would keep timers and sockets waiting for
// ever.
import type { Exchange, Sink, Transport, TransportRequest } from "homeostat/api";
import {
  type ApiResponse,
  discard,
  type Handler,
  isStream,
  type OpenStream,
  type StreamSink,
  wholeBody,
} from "../apimachinery/handler.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";

const none = new Uint8Array(0);

/** Requests that are served before the event loop has a turn. */
export const requestsPerTurn = 16;

/** Creates a transport that sends requests to `handler`, of the server so named, as `user`. */
export function createInProcessTransport(
  handler: Handler,
  user: UserInfo,
  options: Pick<Transport, "server"> = {},
): Transport {
  const open = new Set<InProcessExchange>();
  const turns = new RequestTurns();
  let closed = false;
  return {
    ...options,
    send(request, sink) {
      const exchange = new InProcessExchange(sink, () => open.delete(exchange));
      open.add(exchange);
      if (closed)
        queueMicrotask(() =>
          exchange.abort(
            new Error(
              `${request.method} ${request.path}: this transport has been closed; create another one`,
            ),
          ),
        );
      else turns.run(() => void exchange.run(handler, request, user));
      return exchange;
    },
    async close() {
      closed = true;
      for (const exchange of open)
        exchange.abort(new Error("the transport was closed while the exchange was under way"));
    },
  };
}

/** Runs so many requests in each turn of the event loop, in order. */
class RequestTurns {
  readonly #waiting: (() => void)[] = [];
  #served = 0;
  #isCounting = false;

  run(serve: () => void): void {
    if (!this.#isCounting) this.#count();
    if (this.#served >= requestsPerTurn) return void this.#waiting.push(serve);
    this.#served++;
    serve();
  }

  /** Starts over in the next turn, with those that wait. */
  #count(): void {
    this.#isCounting = true;
    setImmediate(() => {
      this.#isCounting = false;
      const next = this.#waiting.splice(0, requestsPerTurn);
      this.#served = this.#waiting.length > 0 ? requestsPerTurn : next.length;
      if (next.length > 0) this.#count();
      for (const serve of next) serve();
    });
  }
}

class InProcessExchange implements Exchange {
  readonly #sink: Sink;
  readonly #forget: () => void;
  readonly #closed = Promise.withResolvers<void>();
  #ended = false;
  #stream: OpenStream | undefined;
  /** Continues after the receiver asked for a pause. */
  #paused: (() => void) | undefined;

  constructor(sink: Sink, forget: () => void) {
    this.#sink = sink;
    this.#forget = forget;
  }

  async run(handler: Handler, request: TransportRequest, user: UserInfo): Promise<void> {
    if (this.#ended) return;
    const refused = request.refusal?.();
    if (refused) return queueMicrotask(() => this.abort(refused));
    try {
      const answer = await handler({
        method: request.method,
        path: request.path,
        headers: request.headers,
        body: request.body ?? none,
        user,
        closed: this.#closed.promise,
      });
      if (this.#ended) discard(answer);
      else this.#answer(answer);
    } catch (error) {
      this.abort(error);
    }
  }

  resume(): void {
    const paused = this.#paused;
    this.#paused = undefined;
    if (!this.#ended) paused?.();
  }

  abort(reason?: unknown): void {
    if (this.#ended) return;
    this.#finish();
    this.#stream?.close();
    this.#sink.fail(
      reason instanceof Error ? reason : new Error("the exchange was aborted", { cause: reason }),
    );
  }

  #answer({ status, headers, body, cut }: ApiResponse): void {
    if (cut) return this.abort(cut);
    this.#sink.head(status, flat(headers));
    if (this.#ended) return;
    if (isStream(body)) {
      const stream = body.open(this.#streamSink());
      this.#stream = stream;
      if (this.#ended) stream.close();
    } else if (!body.length || this.#sink.data(wholeBody(body))) this.#end();
    else if (!this.#ended) this.#paused = () => this.#end();
  }

  #streamSink(): StreamSink {
    const { change } = this.#sink;
    return {
      data: (chunk) => !this.#ended && this.#taken(this.#sink.data(chunk)),
      ...(change && {
        change: (one) => !this.#ended && this.#taken(change.call(this.#sink, one)),
      }),
      end: () => this.#end(),
      cut: () => this.abort(new Error("the response broke off")),
    };
  }

  /** What the receiver said to a chunk: false asks for a pause. */
  #taken(isReady: boolean): boolean {
    if (isReady) return true;
    this.#paused = () => this.#stream?.resume();
    return false;
  }

  #end(): void {
    if (this.#ended) return;
    this.#finish();
    this.#sink.end();
  }

  #finish(): void {
    this.#ended = true;
    this.#closed.resolve();
    this.#forget();
  }
}

function flat(headers: ApiResponse["headers"]): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    out[lower] = typeof value === "string" ? value : value.join(lower === "warning" ? "\n" : ", ");
  }
  return out;
}
