// Keys that failed because of the server: down, refusing, overloaded, or in conflict. Their
// back-off would have grown past the end of the fault, so they wait for their turn with all else
// that waits for the server (client/server-pace.ts), and the first that succeeds brings the others
// back. What may concern one object alone (500, a conflict) has its back-off beside the turn;
// errors of the user's code know nothing else.
import { type ApiStatusError, isApiStatusError } from "../../api/status.ts";
import type { ServerPace } from "../../client/server-pace.ts";
import type { Timer } from "../../runtime/clock.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";

const causesFollowed = 5;
const connectionCodes = [
  "ERR_CLIENT_UNREACHABLE",
  "ERR_CLIENT_CONNECTION_LOST",
  "ERR_CLIENT_TIMEOUT",
];

/** The keys of one controller that wait for the server. */
export class Turns {
  readonly #pace: ServerPace;
  readonly #waiting = new Map<string, Timer>();
  /** Keys that failed and have had their turn since. */
  readonly #inTurn = new Set<string>();

  constructor(pace: ServerPace) {
    this.#pace = pace;
  }

  /** A key failed because of the server; calls `again` in its turn. Returns about when, in ms. */
  wait(key: string, failed: Failed, again: () => void): number {
    const { retryAfterMs } = failed.fault;
    this.forget(key);
    const expectedMs = this.#pace.expectedMs(retryAfterMs, this);
    const turn = (): void => {
      this.#waiting.delete(key);
      this.#inTurn.add(key);
      again();
    };
    this.#waiting.set(
      key,
      this.#pace.wait(retryAfterMs, turn, { failures: failed.failures, owner: this }),
    );
    return expectedMs;
  }

  /** A key failed otherwise, or its object is gone. Returns true when it waited for its turn. */
  forget(key: string): boolean {
    const timer = this.#waiting.get(key);
    timer?.cancel();
    this.#waiting.delete(key);
    this.#inTurn.delete(key);
    return timer !== undefined;
  }

  /** A key succeeded. The server is well if it has answered a request of the run. */
  succeeded(key: string, { hasAnswer }: { readonly hasAnswer: boolean }): void {
    const hadTurn = this.#inTurn.has(key);
    const hadFailed = this.forget(key) || hadTurn;
    if (hadFailed && hasAnswer) this.#pace.recovered();
    else if (hadTurn) this.#pace.passed();
  }

  stop(): void {
    for (const timer of this.#waiting.values()) timer.cancel();
    this.#waiting.clear();
  }
}

/** A fault of the server. */
export interface ServerFault {
  /** How long the server asks to wait. */
  readonly retryAfterMs: number;
  /** It concerns all requests: nothing is tried but in its turn. */
  readonly isOfAll: boolean;
}

interface Failed {
  readonly fault: ServerFault;
  /** Failures of the key in a row. */
  readonly failures: number;
}

const ofAll = [401, 429, 502, 503, 504];

/**
 * The fault of the server that an error reports, also as its cause; nothing is tried again before
 * `leastMs`. Never throws.
 */
export function serverFault(error: unknown, leastMs = 0): ServerFault | undefined {
  try {
    let at = error;
    for (let depth = 0; depth < causesFollowed && at !== undefined; depth++) {
      if (isApiStatusError(at)) return faultOf(at, leastMs);
      if (connectionCodes.some((code) => isHomeostatError(at, code)))
        return { retryAfterMs: leastMs, isOfAll: true };
      at = (at as { readonly cause?: unknown } | null)?.cause;
    }
  } catch {
    // An error whose properties throw is the user's.
  }
  return undefined;
}

function faultOf({ status }: ApiStatusError, leastMs: number): ServerFault | undefined {
  const { code, details } = status;
  if (!ofAll.includes(code) && code !== 409 && code < 500) return undefined;
  const retryAfterMs = Math.max(leastMs, (details?.retryAfterSeconds ?? 0) * 1000);
  return { retryAfterMs, isOfAll: ofAll.includes(code) };
}
