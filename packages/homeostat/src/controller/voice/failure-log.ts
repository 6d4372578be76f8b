// Logs failures: each one in a line, its stack once at debug. A failure that repeats is not said
// again in full, and of many objects that fail in the same way a few are named and the rest
// counted.
import { isApiStatusError } from "../../api/status.ts";
import type { ControllerLog } from "./controller-log.ts";

const limits = {
  /** Objects with one cause that are named; the rest is counted, so long after the first of it. */
  named: 5,
  countAfterMs: 2000,
  /** A failure that goes on is said again after this long. */
  remindMs: 60_000,
  /** Causes whose stack has been logged. */
  stacks: 1000,
};

/** A failure of one object. */
export interface LoggedFailure {
  /** What follows from it, e.g. `failed, trying again in 5 ms`. */
  readonly what: string;
  readonly because: string;
  readonly hint?: string;
  readonly error: unknown;
  /** The cache has named the object and the cause already. */
  readonly isLogged?: boolean;
}

/** The objects that fail for one cause. */
interface Group {
  readonly keys: Set<string>;
  hidden: number;
  saidAt: number;
}

export interface FailureLogOptions extends ControllerLog {
  /** Where in the user's code an error was made. */
  readonly locate?: (error: unknown) => string | undefined;
}

/** The failures of one controller's objects. */
export class FailureLog {
  readonly #options: FailureLogOptions;
  readonly #failing = new Map<string, { readonly cause: string; count: number }>();
  readonly #groups = new Map<string, Group>();
  readonly #stacks = new Set<string>();

  constructor(options: FailureLogOptions) {
    this.#options = options;
  }

  failed(key: string, failure: LoggedFailure): void {
    const cause = causeOf(key, failure.because);
    const before = this.#failing.get(key);
    const count = (before?.count ?? 0) + 1;
    this.#failing.set(key, { cause, count });
    if (before?.cause === cause) return this.#repeated(key, this.#groups.get(cause)!, failure);
    if (before) this.#leave(key, before.cause);
    const group = this.#join(key, cause);
    if (failure.isLogged) return;
    if (group.keys.size > limits.named) return this.#count(group, failure);
    const { what, because, hint } = failure;
    const at = this.#options.locate?.(failure.error);
    const request = requestOf(failure.error);
    const more = {
      ...(request === undefined ? {} : { request }),
      ...(hint === undefined ? {} : { hint }),
      ...(at === undefined ? {} : { at }),
    };
    this.#options.log.error(`${what}: ${because}`, { ...this.#about(key), ...more });
    this.#sayStack(key, cause, failure);
  }

  /** The object is well again, or gone; returns how often it had failed. */
  recovered(key: string): number {
    const before = this.#failing.get(key);
    if (!before) return 0;
    this.#failing.delete(key);
    this.#leave(key, before.cause);
    return before.count;
  }

  #join(key: string, cause: string): Group {
    const now = this.#options.clock.monotonic();
    const group = this.#groups.get(cause) ?? { keys: new Set(), hidden: 0, saidAt: now };
    this.#groups.set(cause, group);
    group.keys.add(key);
    return group;
  }

  #leave(key: string, cause: string): void {
    const group = this.#groups.get(cause);
    group?.keys.delete(key);
    if (group?.keys.size === 0) this.#groups.delete(cause);
  }

  #repeated(key: string, group: Group, { what, because }: LoggedFailure): void {
    const { log, clock, controller } = this.#options;
    const about = this.#about(key);
    log.debug(`still failing after ${this.#failing.get(key)!.count} attempts, ${what}`, about);
    if (clock.monotonic() - group.saidAt < limits.remindMs) return;
    group.saidAt = clock.monotonic();
    const others = group.keys.size - 1;
    const who = others > 0 ? `${about.object} and ${others} others` : about.object;
    log.error(`${who} still failing: ${because}`, { controller });
  }

  #count(group: Group, { because }: LoggedFailure): void {
    const { clock, log, controller, kind } = this.#options;
    if (group.hidden++ > 0) return;
    clock.timer(limits.countAfterMs, () => {
      log.error(`${group.hidden} more of ${kind} failed in the same way: ${because}`, {
        controller,
      });
      group.hidden = 0;
    });
  }

  #sayStack(key: string, cause: string, { error }: LoggedFailure): void {
    if (this.#stacks.has(cause)) return;
    this.#stacks.add(cause);
    if (this.#stacks.size > limits.stacks) this.#stacks.delete(this.#stacks.values().next().value!);
    this.#options.log.debug("where it failed", { ...this.#about(key), error });
  }

  #about(key: string) {
    const { controller, kind } = this.#options;
    return { controller, object: `${kind} ${key}` };
  }
}

/** The request that the server has refused: its message need not say what was attempted. */
function requestOf(error: unknown): string | undefined {
  if (isApiStatusError(error)) return error.request;
  return error instanceof Error && isApiStatusError(error.cause) ? error.cause.request : undefined;
}

/** What failures with different objects, counts and times have in common. */
function causeOf(key: string, because: string): string {
  const name = key.slice(key.lastIndexOf("/") + 1);
  return because.replaceAll(key, "…").replaceAll(name, "…").replace(/\d+/g, "#");
}
