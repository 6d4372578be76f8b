// Sends a request and collects its response as a promise, with signal and deadline. Knows nothing
// of Kubernetes and never retries.
import type { Transport, TransportRequest } from "../api/transport.ts";
import type { Clock } from "../runtime/clock.ts";
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
  const { signal, timeoutMs, clock } = options;
  if (signal?.aborted) return Promise.reject(toError(signal.reason));
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let status = 0;
  let headers: Readonly<Record<string, string>> = {};
  const chunks: Uint8Array[] = [];
  const under = transport.send(request, {
    head: (code, fields) => void ([status, headers] = [code, fields]),
    data: (chunk) => (chunks.push(chunk), true),
    end: () => resolve({ status, headers, body: join(chunks) }),
    fail: reject,
  });
  const abort = (): void => under.abort(toError(signal?.reason));
  const timer = timeoutMs
    ? clock.timer(timeoutMs, () => under.abort(timeoutError(request, timeoutMs)))
    : undefined;
  signal?.addEventListener("abort", abort);
  return promise.finally(() => {
    timer?.cancel();
    signal?.removeEventListener("abort", abort);
  });
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

function timeoutError(request: TransportRequest, timeoutMs: number): Error {
  return new HomeostatError(
    "ERR_CLIENT_TIMEOUT",
    `${request.method} ${request.path}: expected an answer within ${timeoutMs} ms, none came`,
    {
      hint: "Check the server's health, or raise `timeoutMs`.",
    },
  );
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}
