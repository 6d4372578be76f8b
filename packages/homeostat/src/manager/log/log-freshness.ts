// Logs what the informers say about themselves: a first list that does not come, a watch that is
// lost, and its return. What several kinds say within a moment is one line.
import type { Cache, Informer } from "../../cache/index.ts";
import type { ReconcileLog } from "../../controller/define-controller.ts";
import type { Timer } from "../../runtime/clock.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Changes within this time are one line. */
const gatherMs = 250;
/** A first list that takes longer is reported, and again each time. */
const slowSyncMs = 10_000;

/** The informers to report. */
export interface FreshnessLogOptions {
  readonly cache: Cache;
  readonly log: ReconcileLog;
  readonly runtime: Runtime;
}

/** Logs until `stop`. To be called once all informers are acquired. */
export function logFreshness(options: FreshnessLogOptions): { stop(): void } {
  const log = new FreshnessLog(options);
  return { stop: () => log.stop() };
}

class FreshnessLog {
  readonly #options: FreshnessLogOptions;
  readonly #listeners: { remove(): void }[];
  /** The kinds that are reported as not fresh, with the reason that was logged. */
  readonly #reported = new Map<Informer, string>();
  #gathering: Timer | undefined;
  #slow: Timer | undefined;

  constructor(options: FreshnessLogOptions) {
    this.#options = options;
    this.#listeners = options.cache
      .informers()
      .map((informer) => informer.onFreshness(() => this.#soon()));
    this.#slowLater();
  }

  stop(): void {
    this.#gathering?.cancel();
    this.#slow?.cancel();
    for (const listener of this.#listeners) listener.remove();
  }

  #soon(): void {
    this.#gathering ??= this.#options.runtime.clock.timer(gatherMs, () => {
      this.#gathering = undefined;
      this.#say();
    });
  }

  #slowLater(): void {
    this.#slow = this.#options.runtime.clock.timer(slowSyncMs, () => {
      const late = this.#informers().filter((informer) => !informer.hasSynced());
      if (late.length === 0) return;
      for (const [reason, kinds] of byReason(late))
        this.#options.log.warn(
          `still waiting for the first list of ${kinds.join(", ")}: ${reason}`,
        );
      this.#slowLater();
    });
  }

  #informers(): readonly Informer[] {
    return this.#options.cache.informers();
  }

  #say(): void {
    const { log } = this.#options;
    const behind = this.#informers().filter((informer) => {
      const { ready, lastError } = informer.freshness();
      return !ready && (informer.hasSynced() || lastError !== undefined);
    });
    const news = behind.filter(
      (informer) => this.#reported.get(informer) !== causeOf(informer.freshness()),
    );
    for (const [reason, kinds] of byReason(news)) log.warn(`${kinds.join(", ")}: ${reason}`);
    for (const informer of news) this.#reported.set(informer, causeOf(informer.freshness()));
    const back = [...this.#reported.keys()].filter((informer) => informer.freshness().ready);
    if (back.length > 0)
      log.info(`${back.map(({ kind }) => kind.kind).join(", ")}: up to date with the server again`);
    for (const informer of back) this.#reported.delete(informer);
  }
}

/** The reason without times, which grow. */
function causeOf({ lastError, reason }: ReturnType<Informer["freshness"]>): string {
  return lastError ?? reason.replace(/\d+ s/g, "");
}

function byReason(informers: readonly Informer[]): Map<string, string[]> {
  const kinds = new Map<string, string[]>();
  for (const informer of informers) {
    const { reason } = informer.freshness();
    kinds.set(reason, [...(kinds.get(reason) ?? []), informer.kind.kind]);
  }
  return kinds;
}
