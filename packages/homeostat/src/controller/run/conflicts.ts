// Which failures are ordinary: another writer came first, and the next run, on the newest state,
// will most likely succeed. All others are faults, of the user's code too: a patch that names a
// wrong object is one.
import { isConflict, isNotFound } from "../../api/status.ts";
import { type Entropy, unitInterval } from "../../runtime/entropy.ts";
import type { RunScope } from "./run-scope.ts";

/** Consecutive conflicts of one object after which they count as a fault. */
const ordinaryConflicts = 5;
/** Consecutive conflicts after which the usual back-off applies. */
const quickConflicts = 100;
const firstMs = 10;
const mostMs = 200;

/** Counts consecutive conflicts by key. */
export class Conflicts {
  readonly #counts = new Map<string, number>();

  /** Counts one more; returns their number. */
  add(key: string): number {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }

  clear(key: string): void {
    this.#counts.delete(key);
  }
}

/** True while a number of consecutive conflicts is no reason to worry. */
export function isOrdinary(count: number): boolean {
  return count < ordinaryConflicts;
}

/**
 * The delay after the n-th consecutive conflict: the first run again at once, later ones within
 * 200 ms, with jitter. Undefined when the usual back-off applies.
 */
export function conflictDelayMs(count: number, entropy: Entropy): number | undefined {
  if (count > quickConflicts) return undefined;
  const delay = Math.min(mostMs, firstMs * 2 ** (count - 1));
  return Math.ceil(delay * (1 + unitInterval(entropy))) / 2;
}

/** True when the run failed because the state that it began with had changed. */
export function isConflictOf(
  scope: RunScope,
  error: unknown,
  object: { readonly isGone: boolean },
): boolean {
  if (object.isGone && (isConflict(error) || isNotFound(error))) return true;
  return scope.wasOvertaken(error) || isStaleRevision(error);
}

/**
 * A resourceVersion that is no longer current; not a wrong uid, and not a field of another owner.
 */
function isStaleRevision(error: unknown): boolean {
  if (!isConflict(error)) return false;
  const { message = "", details } = error.status;
  if (details?.causes?.some(({ reason }) => reason === "FieldManagerConflict")) return false;
  return !/UID in precondition|uid mismatch/.test(message);
}
