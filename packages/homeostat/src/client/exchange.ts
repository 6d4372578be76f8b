// Sends a request and collects its response as a promise, with signal and deadline. Knows nothing
// of Kubernetes and never retries.
import type { Exchange, Sink, Transport, TransportRequest } from "../api/transport.ts";
import type { Clock, Timer } from "../runtime/clock.ts";
import { HomeostatError } from "../util/homeostat-error.ts";

/** A complete response of any status. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface ExchangeOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * Sends and waits. Rejects with the signal's reason, ERR_CLIENT_TIMEOUT, or the transport's error.
 */
export function exchange(
  transport: Transport,
  request: TransportRequest,
  options: ExchangeOptions,
): Promise<Answer> {
  const { signal } = options;
  if (signal?.aborted) return Promise.reject(toError(signal.reason));
  return new Promise((resolve, reject) => {
    new Collector(request, options, { resolve, reject }).send(transport);
  });
}

/** Collects one response. An object of its own: a request per write leaves much less garbage. */
class Collector implements Sink {
  readonly #request: TransportRequest;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: Timer | undefined;
  readonly #settle: Settle;
  #under: Exchange | undefined;
  #status = 0;
  #headers: Answer["headers"] = {};
  #first: Uint8Array | undefined;
  #more: Uint8Array[] | undefined;

  constructor(
    request: TransportRequest,
    { clock, signal, timeoutMs }: ExchangeOptions,
    settle: Settle,
  ) {
    this.#request = request;
    this.#signal = signal;
    this.#settle = settle;
    this.#timer = timeoutMs
      ? clock.timer(timeoutMs, () => this.#under?.abort(timeoutError(request, timeoutMs)))
      : undefined;
  }

  send(transport: Transport): void {
    const refused = this.#request.refusal?.();
    if (refused) return this.fail(refused);
    this.#signal?.addEventListener("abort", this);
    try {
      this.#under = transport.send(this.#request, this);
      if (this.#signal?.aborted) this.handleEvent();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  /** The signal has aborted. */
  handleEvent(): void {
    this.#under?.abort(toError(this.#signal?.reason));
  }

  // Transports that wrap another one spread the sink: its methods are its own.
  readonly head: Sink["head"] = (code, headers) => {
    this.#status = code;
    this.#headers = headers;
  };

  readonly data: Sink["data"] = (chunk) => {
    if (this.#first) (this.#more ??= []).push(chunk);
    else this.#first = chunk;
    return true;
  };

  readonly end: Sink["end"] = () => {
    this.#release();
    const body = this.#more ? Buffer.concat([this.#first!, ...this.#more]) : this.#first;
    const answer = { status: this.#status, headers: this.#headers };
    this.#settle.resolve({ ...answer, body: body ?? new Uint8Array() });
  };

  readonly fail: Sink["fail"] = (error) => {
    this.#release();
    this.#settle.reject(error);
  };

  #release(): void {
    this.#timer?.cancel();
    this.#signal?.removeEventListener("abort", this);
  }
}

interface Settle {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** An abort's reason as an Error. */
export function toError(reason: unknown): Error {
  return reason instanceof Error
    ? reason
    : new HomeostatError(
        "ERR_CLIENT_ABORTED",
        `the request was aborted: ${String(reason ?? "no reason given")}`,
        { hint: "Nothing to do if the abort was intended." },
      );
}

/** No attempt of a call has succeeded in time. */
export function totalTimeoutError(
  { method, path }: Pick<TransportRequest, "method" | "path">,
  totalTimeoutMs: number,
): Error {
  return new HomeostatError(
    "ERR_CLIENT_TIMEOUT",
    `${method} ${path}: expected an answer within ${totalTimeoutMs} ms of the first attempt, none came`,
    { hint: "Check the server's health, or raise `totalTimeoutMs`." },
  );
}

function timeoutError(request: TransportRequest, timeoutMs: number): Error {
  return new HomeostatError(
    "ERR_CLIENT_TIMEOUT",
    `${request.method} ${request.path}: expected an answer within ${timeoutMs} ms, none came`,
    {
      hint: "Check the server's health, or raise `timeoutMs`.",
    },
  );
}
