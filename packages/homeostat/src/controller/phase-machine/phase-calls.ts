// When a phase may act again. Kept in this process only: a restart forgets delays, never attempts.
import type { Json } from "../../api/json.ts";
import { fingerprint } from "../own/as-stored.ts";

/**
 * Delays between calls of one phase, doubling; and before an action that differs from the last one,
 * which the world has answered.
 */
const delays = { firstMs: 1000, mostMs: 60_000, changedMs: 100 };

/** Procedures remembered; others may act at once. */
const kept = 10_000;

/** The last call of `act` of a procedure. */
export interface PhaseCall {
  readonly phase: string;
  /** Undefined for a call that succeeded, and for one that has not ended. */
  readonly error?: unknown;
  readonly hasSucceeded: boolean;
  /** Calls in a row that failed, or that succeeded with the same action. */
  readonly times: number;
  readonly action: string;
  /** Wall time in ms. */
  readonly at: number;
}

/** The last calls of a controller's procedures. */
export class PhaseCalls {
  readonly #calls = new Map<string, PhaseCall>();

  get(id: string, phase: string): PhaseCall | undefined {
    const call = this.#calls.get(id);
    return call?.phase === phase ? call : undefined;
  }

  set(id: string, call: PhaseCall): void {
    this.#calls.delete(id);
    this.#calls.set(id, call);
    if (this.#calls.size > kept) this.#calls.delete(this.#calls.keys().next().value!);
  }

  delete(id: string): void {
    this.#calls.delete(id);
  }
}

/** Time until the phase may act; not positive when it may. */
export function restMs(call: PhaseCall, action: string, now: number): number {
  const isAnswered = call.hasSucceeded && call.action !== action;
  const delayMs = isAnswered
    ? delays.changedMs
    : Math.min(delays.mostMs, delays.firstMs * 2 ** (call.times - 1));
  return Math.min(delayMs, call.at + delayMs - now);
}

/** Equal for actions that are equal as JSON. */
export function identify(action: unknown): string {
  try {
    return fingerprint((action ?? null) as Json);
  } catch {
    return "";
  }
}
