// The transport interface to a server core in the same process, for a trusted caller. Bytes,
// headers and back-pressure are those of a socket; nothing is copied.
import type { Exchange, Sink, Transport, TransportRequest } from "homeostat/api";
import {
  type ApiResponse,
  type Handler,
  isStream,
  type OpenStream,
} from "../apimachinery/handler.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";

const none = new Uint8Array(0);

/** Creates a transport that sends requests to `handler`, of the server so named, as `user`. */
export function createInProcessTransport(
  handler: Handler,
  user: UserInfo,
  options: Pick<Transport, "server"> = {},
): Transport {
  const open = new Set<InProcessExchange>();
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
      else void exchange.run(handler, request, user);
      return exchange;
    },
    async close() {
      closed = true;
      for (const exchange of open)
        exchange.abort(new Error("the transport was closed while the exchange was under way"));
    },
  };
}

class InProcessExchange implements Exchange {
  readonly #sink: Sink;
  readonly #forget: () => void;
  #ended = false;
  #stream: OpenStream | undefined;
  /** Continues after the receiver asked for a pause. */
  #paused: (() => void) | undefined;

  constructor(sink: Sink, forget: () => void) {
    this.#sink = sink;
    this.#forget = forget;
  }

  async run(handler: Handler, request: TransportRequest, user: UserInfo): Promise<void> {
    try {
      const answer = await handler({
        method: request.method,
        path: request.path,
        headers: request.headers,
        body: request.body ?? none,
        user,
      });
      if (!this.#ended) this.#answer(answer);
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

  #answer({ status, headers, body }: ApiResponse): void {
    this.#sink.head(status, flat(headers));
    if (this.#ended) return;
    if (isStream(body)) {
      const stream = body.open({ data: (chunk) => this.#push(chunk), end: () => this.#end() });
      this.#stream = stream;
      if (this.#ended) stream.close();
    } else if (!body.length || this.#sink.data(body)) this.#end();
    else if (!this.#ended) this.#paused = () => this.#end();
  }

  #push(chunk: Uint8Array): boolean {
    if (this.#ended) return false;
    if (this.#sink.data(chunk)) return true;
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
