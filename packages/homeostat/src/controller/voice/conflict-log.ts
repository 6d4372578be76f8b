// Logs conflicts. They are ordinary; many in a row, or many of all objects together, are not.
import type { ControllerLog } from "./controller-log.ts";

/** Conflicts of one object in a row that are reported; then at each doubling. */
const inARow = 5;
/** Conflicts of all objects within the window that are reported, once a minute at most. */
const storm = 100;
const windowMs = 10_000;
const stormEveryMs = 60_000;

/** The conflicts of one controller. */
export class ConflictLog {
  readonly #options: ControllerLog;
  #window = { since: -Infinity, conflicts: 0, keys: new Set<string>() };
  #stormAt = -Infinity;

  constructor(options: ControllerLog) {
    this.#options = options;
  }

  /** Logs the `count`-th conflict in a row of an object; true when it is not ordinary. */
  conflicted(
    key: string,
    count: number,
    { what, because }: { readonly what: string; readonly because: string },
  ): boolean {
    const { log, controller, kind } = this.#options;
    const about = { controller, object: `${kind} ${key}` };
    this.#countAll(key);
    const isReported = count >= inARow && Number.isInteger(Math.log2(count / inARow));
    if (isReported)
      log.error(`${count} conflicts in a row, another client keeps changing it: ${because}`, about);
    else log.debug(`${what}: ${because}`, about);
    return isReported;
  }

  #countAll(key: string): void {
    const { log, clock, controller, kind } = this.#options;
    const now = clock.monotonic();
    if (now - this.#window.since > windowMs)
      this.#window = { since: now, conflicts: 0, keys: new Set() };
    const { conflicts, keys } = this.#window;
    keys.add(key);
    this.#window.conflicts = conflicts + 1;
    if (conflicts + 1 < storm || now - this.#stormAt < stormEveryMs) return;
    this.#stormAt = now;
    const [example] = keys;
    log.warn(
      `conflict storm: ${conflicts + 1} conflicts of ${keys.size} objects within ${windowMs / 1000} s, among them ${kind} ${example}; does another controller write the same fields?`,
      { controller },
    );
  }
}
