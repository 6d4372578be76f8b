// Earlier retries of what failed because of the server: down, refusing, overloaded, or in conflict.
// Their back-off would have grown past the end of the fault, so one of all such keys is retried a
// second, and the first that succeeds brings the others back. The back-off itself goes on beside
// it; errors of the user's code know nothing else.
import { type ApiStatusError, isApiStatusError } from "../../api/status.ts";
import type { ServerPace } from "../../cache/server-pace.ts";
import type { Timer } from "../../runtime/clock.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";

/** A shorter back-off needs no turn. */
const shortMs = 500;
const causesFollowed = 5;
const connectionCodes = [
  "ERR_CLIENT_UNREACHABLE",
  "ERR_CLIENT_CONNECTION_LOST",
  "ERR_CLIENT_TIMEOUT",
];

/** The keys of one controller that wait for the server. */
export class RetryPace {
  readonly #pace: ServerPace;
  readonly #waiting = new Map<string, Timer>();
  readonly #failed = new Set<string>();

  /** The pace is that of all controllers of the process. */
  constructor(pace: ServerPace) {
    this.#pace = pace;
  }

  /** A key failed and is due in `afterMs`; calls `again` earlier when it is its turn. */
  failed(key: string, error: unknown, afterMs: number, again: () => void): void {
    this.#waiting.get(key)?.cancel();
    this.#waiting.delete(key);
    const fault = serverFault(error);
    if (!fault) return void this.#failed.delete(key);
    this.#failed.add(key);
    if (afterMs <= shortMs) return;
    const turn = (): void => {
      this.#waiting.delete(key);
      again();
    };
    this.#waiting.set(key, this.#pace.wait(fault.retryAfterMs, turn));
  }

  /** A key succeeded, or its object is gone. */
  succeeded(key: string): void {
    this.#waiting.get(key)?.cancel();
    this.#waiting.delete(key);
    if (this.#failed.delete(key)) this.#pace.recovered();
  }

  stop(): void {
    for (const timer of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }
}

/** The fault of the server that an error reports, also as its cause. Never throws. */
export function serverFault(error: unknown): { readonly retryAfterMs: number } | undefined {
  try {
    let at = error;
    for (let depth = 0; depth < causesFollowed && at !== undefined; depth++) {
      if (isApiStatusError(at)) return faultOf(at);
      if (connectionCodes.some((code) => isHomeostatError(at, code))) return { retryAfterMs: 0 };
      at = (at as { readonly cause?: unknown } | null)?.cause;
    }
  } catch {
    // An error whose properties throw is the user's.
  }
  return undefined;
}

function faultOf({ status }: ApiStatusError): { readonly retryAfterMs: number } | undefined {
  const { code, details } = status;
  const retryAfterMs = (details?.retryAfterSeconds ?? 0) * 1000;
  return [401, 409, 429].includes(code) || code >= 500 ? { retryAfterMs } : undefined;
}
