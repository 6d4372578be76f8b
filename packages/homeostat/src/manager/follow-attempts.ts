// Who follows the attempts of a manager's controllers: none, the history, the watchdog, or both.
import type { ApiRequest } from "../client/client.ts";
import type { Attempt, AttemptObserver } from "../controller/run/attempt-observer.ts";
import { currentRun } from "../controller/run/current-run.ts";

/** Undefined for none. */
export function followAttempts(
  first: AttemptObserver | undefined,
  second: AttemptObserver | undefined,
): AttemptObserver | undefined {
  if (!first || !second) return first ?? second;
  return { begin: (item) => bothOf(first.begin(item), second.begin(item)) };
}

/** A request has been answered: the attempt that sent it is told. */
export function answeredInAttempt(request: ApiRequest, code: number): void {
  currentRun.getStore()?.attempt?.answered(request, code);
}

const bothOf = (first: Attempt, second: Attempt): Attempt => ({
  stepped(name, step) {
    first.stepped(name, step);
    second.stepped(name, step);
  },
  answered(request, code) {
    first.answered(request, code);
    second.answered(request, code);
  },
  wrote(write) {
    first.wrote(write);
    second.wrote(write);
  },
  ended(end) {
    first.ended(end);
    second.ended(end);
  },
});
