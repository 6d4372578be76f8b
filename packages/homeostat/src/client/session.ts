// Sends requests of one user to one server: default headers, retries, warnings, and refusals as
// errors. Between client and Transport; knows no kinds.
import type { ApiStatusError } from "../api/status.ts";
import type { TransportRequest } from "../api/transport.ts";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { type Asked, readAnswer } from "./check-answer.ts";
import type { ApiRequest, ApiResponse, ByteStreamHandlers, RequestOptions } from "./client.ts";
import { type Answer, exchange, toError, totalTimeoutError } from "./exchange.ts";
import { nameAbort } from "./name-abort.ts";
import { isUnserved, toStatusError } from "./request/decode-status.ts";
import { encodeRequest } from "./request/encode-request.ts";
import { type Attempt, retryDelay } from "./request/retry-policy.ts";
import { reportAnswer, reportWarnings } from "./report-answer.ts";
import type { SessionOptions, SessionScope } from "./session-options.ts";

/**
 * Deadlines of one attempt. A write waits for webhooks, 30 s at most (timeoutSeconds of
 * admissionregistration.k8s.io/v1); a read may be long, up to kube-apiserver's request timeout of
 * 60 s. Only a dead connection takes longer.
 */
const writeTimeoutMs = 34_000;
const readTimeoutMs = 64_000;

/** Sends any request; throws ApiStatusError from 400 on. */
export function send(
  session: SessionOptions,
  scope: SessionScope,
  request: ApiRequest,
  options: RequestOptions = {},
): Promise<ApiResponse> {
  if (!options.totalTimeoutMs) return attempts(session, scope, request, options);
  const { totalTimeoutMs, signal } = options;
  const end = new AbortController();
  const timer = session.runtime.clock.timer(totalTimeoutMs, () =>
    end.abort(totalTimeoutError(request, totalTimeoutMs)),
  );
  const ends = signal ? AbortSignal.any([signal, end.signal]) : end.signal;
  return attempts(session, scope, request, { ...options, signal: ends }).finally(() =>
    timer.cancel(),
  );
}

async function attempts(
  session: SessionOptions,
  scope: SessionScope,
  request: ApiRequest,
  options: RequestOptions,
): Promise<ApiResponse> {
  const { timeoutMs } = options;
  const signal = mergeSignals(scope.signals, options.signal);
  let refreshed = false;
  for (let retries = 0; ; retries++) {
    const outcome = await attempt(session, scope, request, { signal, timeoutMs });
    if ("status" in outcome && outcome.status < 400) {
      if (retries > 0) session.pace.recovered();
      return toResponse({ request, server: session.access?.server }, outcome);
    }
    const error = "status" in outcome ? statusErrorOf(session, request, outcome) : outcome.error;
    if (
      "status" in outcome &&
      outcome.status === 401 &&
      !refreshed &&
      (await session.credentials?.rejected(outcome.used))
    ) {
      refreshed = true;
      continue;
    }
    const afterMs = signal?.aborted ? undefined : retryDelay(request, toAttempt(outcome), retries);
    if (afterMs === undefined) throw nameAbort(error, request);
    session.observer.retried?.(
      request,
      afterMs,
      "status" in error ? (error as ApiStatusError).status : error,
    );
    await turn(session, { afterMs, retries }, signal);
  }
}

/** Opens a stream; refusals reach `closed` as ApiStatusError. */
export function openStream(
  session: SessionOptions,
  scope: SessionScope,
  request: ApiRequest,
  handlers: ByteStreamHandlers,
): { resume(): void; close(): void } {
  const stream = new Stream(session, scope, request, handlers);
  void stream.open();
  return stream;
}

type Outcome = (Answer & { readonly used: string | undefined }) | { readonly error: Error };

async function attempt(
  session: SessionOptions,
  scope: SessionScope,
  request: ApiRequest,
  options: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number | undefined },
): Promise<Outcome> {
  const { clock } = session.runtime;
  const startedAt = clock.monotonic();
  if (options.signal?.aborted) return { error: toError(options.signal.reason) };
  const refusal = session.pace.refusal();
  if (refusal) return { error: refusal };
  const credentials = session.credentials?.headers();
  const headers = credentials && (await orAborted(credentials, options.signal));
  const wire = wireRequest(scope, request, headers);
  try {
    const answer = await exchange(session.transport, wire, {
      clock,
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? (request.method === "GET" ? readTimeoutMs : writeTimeoutMs),
    });
    session.pace.connected();
    reportAnswer(session, scope, request, {
      code: answer.status,
      durationMs: clock.monotonic() - startedAt,
    });
    reportWarnings(session, scope, request, answer.headers);
    const { status, headers, body } = answer;
    return { status, headers, body, used: wire.headers["authorization"] };
  } catch (error) {
    reportAnswer(session, scope, request, {
      code: 0,
      durationMs: clock.monotonic() - startedAt,
    });
    return { error: observeFailure(session, toError(error), startedAt) };
  }
}

function statusErrorOf(
  session: SessionOptions,
  request: ApiRequest,
  { status, body }: Pick<Answer, "status" | "body">,
): ApiStatusError {
  const error = toStatusError(request, status, body, session.access);
  if (isUnserved(request, error)) session.unserved?.();
  return error;
}

function observeFailure({ pace }: SessionOptions, error: Error, startedAt: number): Error {
  if (isHomeostatError(error, "ERR_CLIENT_UNREACHABLE")) pace.failedToConnect(error, startedAt);
  return error;
}

function wireRequest(
  scope: SessionScope,
  request: ApiRequest,
  credentials: Readonly<Record<string, string>> | undefined,
): TransportRequest {
  const wire = encodeRequest(request, {
    accept: "application/json",
    "user-agent": scope.userAgent,
    ...scope.impersonation,
    ...credentials,
  });
  const isFenced = scope.fences.length > 0 && request.method !== "GET";
  return isFenced || scope.isUrgent ? guarded(scope, wire, isFenced) : wire;
}

function guarded(
  { fences, isUrgent }: SessionScope,
  wire: TransportRequest,
  isFenced: boolean,
): TransportRequest {
  const refusal = (): Error | undefined => {
    for (const fence of fences) {
      const refused = fence(wire.method, wire.path);
      if (refused) return refused;
    }
    return undefined;
  };
  return { ...wire, ...(isFenced && { refusal }), ...(isUrgent && { isUrgent }) };
}

function toAttempt(outcome: Outcome): Attempt {
  return "status" in outcome
    ? { type: "answer", status: outcome.status, retryAfter: outcome.headers["retry-after"] }
    : { type: "network", lost: isHomeostatError(outcome.error, "ERR_CLIENT_CONNECTION_LOST") };
}

function toResponse(asked: Asked, answer: Answer): ApiResponse {
  const { status, headers, body } = answer;
  return { status, headers, body, json: () => readAnswer(asked, answer) };
}

function mergeSignals(
  signals: readonly AbortSignal[],
  own: AbortSignal | undefined,
): AbortSignal | undefined {
  if (!own) return signals.length > 1 ? AbortSignal.any([...signals]) : signals[0];
  return signals.length > 0 ? AbortSignal.any([...signals, own]) : own;
}

/** Credentials may take long: a plug-in may ask the user. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(toError(signal.reason));
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Waits for its turn, and keeps the process alive meanwhile, unlike a clock's timers. */
function turn(
  { runtime, pace }: SessionOptions,
  { afterMs, retries }: { readonly afterMs: number; readonly retries: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  const hold = runtime.clock.hold?.();
  return new Promise<void>((resolve, reject) => {
    const timer = pace.wait(
      afterMs,
      () => (signal?.removeEventListener("abort", abort), resolve()),
      { failures: retries },
    );
    const abort = (): void => (timer.cancel(), reject(toError(signal?.reason)));
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  }).finally(() => hold?.cancel());
}

/** A stream from its opening to its end, which may come before the request is sent. */
class Stream {
  readonly #session: SessionOptions;
  readonly #scope: SessionScope;
  readonly #request: ApiRequest;
  readonly #handlers: ByteStreamHandlers;
  readonly #signal: AbortSignal | undefined;
  #exchange: { resume(): void; abort(reason?: unknown): void } | undefined;
  #refusal: { readonly code: number; readonly chunks: Uint8Array[] } | undefined;
  /** Renews credentials once: a second refusal is final. */
  #refreshed = false;
  #used: string | undefined;
  #ended = false;
  readonly #abort = (): void => this.finish(toError(this.#signal?.reason));

  constructor(
    session: SessionOptions,
    scope: SessionScope,
    request: ApiRequest,
    handlers: ByteStreamHandlers,
  ) {
    this.#session = session;
    this.#scope = scope;
    this.#request = request;
    this.#handlers = handlers;
    this.#signal = mergeSignals(scope.signals, undefined);
    this.#signal?.addEventListener("abort", this.#abort);
  }

  async open(): Promise<void> {
    try {
      const refusal = this.#session.pace.refusal();
      if (refusal) throw refusal;
      const credentials = await this.#session.credentials?.headers();
      this.#send(wireRequest(this.#scope, this.#request, credentials));
    } catch (error) {
      this.finish(toError(error));
    }
  }

  #send(wire: TransportRequest): void {
    if (this.#signal?.aborted) return this.#abort();
    if (this.#ended) return;
    const startedAt = this.#session.runtime.clock.monotonic();
    this.#used = wire.headers["authorization"];
    const { change } = this.#handlers;
    let hasHead = false;
    this.#exchange = this.#session.transport.send(wire, {
      head: (code, headers) => {
        hasHead = true;
        this.#session.pace.connected();
        this.#answered(code, startedAt);
        reportWarnings(this.#session, this.#scope, this.#request, headers);
        if (code >= 400) this.#refusal = { code, chunks: [] };
        else if (!this.#ended) this.#handlers.opened(headers);
      },
      data: (chunk) => {
        if (this.#refusal) return (this.#refusal.chunks.push(chunk), true);
        return this.#ended || this.#handlers.data(chunk);
      },
      ...(change && { change: (one) => this.#ended || change(one) }),
      end: () => (this.#refusal ? void this.#refused(this.#refusal) : this.finish(undefined)),
      fail: (error) => {
        if (!hasHead && !this.#ended) this.#answered(0, startedAt);
        this.finish(observeFailure(this.#session, error, startedAt));
      },
    });
    if (this.#ended) this.#exchange.abort();
  }

  #answered(code: number, startedAt: number): void {
    const durationMs = this.#session.runtime.clock.monotonic() - startedAt;
    reportAnswer(this.#session, this.#scope, this.#request, { code, durationMs });
  }

  async #refused({
    code,
    chunks,
  }: {
    readonly code: number;
    readonly chunks: readonly Uint8Array[];
  }): Promise<void> {
    const { credentials } = this.#session;
    this.#refusal = undefined;
    this.#exchange = undefined;
    if (code === 401 && credentials && !this.#refreshed && !this.#ended) {
      this.#refreshed = true;
      try {
        if (await credentials.rejected(this.#used)) return await this.open();
      } catch (error) {
        return this.finish(toError(error));
      }
    }
    const body = Buffer.concat(chunks);
    this.finish(statusErrorOf(this.#session, this.#request, { status: code, body }));
  }

  resume(): void {
    this.#exchange?.resume();
  }

  close(): void {
    this.finish(undefined);
  }

  finish(error: Error | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal?.removeEventListener("abort", this.#abort);
    this.#exchange?.abort(error);
    this.#handlers.closed(error);
  }
}
