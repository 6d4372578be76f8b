// Follows an async iterable of the user's. One that fails is opened again; one that ends is done.
import type { Clock } from "../runtime/clock.ts";
import { sleep } from "../runtime/sleep.ts";
import { describeError } from "../util/describe-error.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { describeMissing } from "../util/option-faults.ts";
import { refusePromise } from "../util/refuse-promise.ts";
import type { ReconcileLog } from "./define-controller.ts";
import { currentRun } from "./run/current-run.ts";
import { RunScope } from "./run/run-scope.ts";
import { catchStrayErrors } from "./run/stray-errors.ts";

/** Delay before a source that failed is opened again: doubling, reset by each value. */
const reopen = { firstMs: 1000, mostMs: 30_000 };

/** A source, and what receives its values. */
export interface FollowedSource<T> {
  readonly clock: Clock;
  readonly log: ReconcileLog;
  /** E.g. `external source cloud`. */
  readonly title: string;
  /** Of its lines in the log. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  open(signal: AbortSignal): AsyncIterable<T>;
  /** An error of it counts as one of the source. */
  receive(value: T): void;
}

/**
 * Follows a source until it ends or `signal` aborts. Never rejects. Errors that the source loses,
 * in timers or in listeners on its signal, are logged.
 */
export function followSource<T>(source: FollowedSource<T>): Promise<void> {
  const { log, title, fields, signal } = source;
  const late = (error: unknown): void =>
    log.error(`${title}: ${describeError(error)}`, { ...fields, error });
  const scope = new RunScope({ title, deadline: signal, late });
  // Nobody reads what it writes: a source may go on for ever.
  scope.returned();
  const stopping = new AbortController();
  const stop = (): void => currentRun.run(scope, () => stopping.abort(signal.reason));
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  catchStrayErrors();
  return currentRun.run(scope, () => follow({ ...source, signal: stopping.signal }));
}

async function follow<T>(source: FollowedSource<T>): Promise<void> {
  const { clock, log, title, fields, signal } = source;
  let delayMs = reopen.firstMs;
  while (!signal.aborted) {
    try {
      const opened = refusePromise(source.open(signal), title, "an async iterable");
      refuseOthers(opened, title);
      for await (const value of opened) {
        if (signal.aborted) return;
        source.receive(value);
        delayMs = reopen.firstMs;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      const what = `${title} failed, opening it again in ${delayMs} ms`;
      log.error(`${what}: ${describeError(error)}`, { ...fields, error });
      await sleep(clock, delayMs, signal);
      delayMs = Math.min(reopen.mostMs, delayMs * 2);
    }
  }
}

function refuseOthers(opened: unknown, title: string): void {
  const { [Symbol.asyncIterator]: follow, [Symbol.iterator]: each } = Object(opened) as {
    readonly [Symbol.asyncIterator]?: unknown;
    readonly [Symbol.iterator]?: unknown;
  };
  if (typeof (follow ?? each) === "function" && typeof opened !== "string") return;
  throw new HomeostatError(
    "ERR_SOURCE_ITERABLE",
    `${title} returned ${describeMissing(opened)}, expected an async iterable`,
    { hint: "write `async function* (signal) { … }`, or return an object that has such a method" },
  );
}
