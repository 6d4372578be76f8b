// Logs what the informers say about themselves: a first list that does not come, a watch that is
// lost, and its return. What several kinds say within a moment is one line.
import type { Kind } from "../../api/kind.ts";
import type { Cache, Informer } from "../../cache/index.ts";
import type { ReconcileLog } from "../../controller/define-controller.ts";
import type { Timer } from "../../runtime/clock.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { describeControllers } from "./describe-controllers.ts";

/** Changes within this time are one line. */
const gatherMs = 250;
/** A first list that takes longer is reported, and again each time. */
const slowSyncMs = 10_000;

/**
 * The refusal with which a server begins to serve a definition; a first list that it delays for
 * long is reported as slow. Source: k8s.io/apiserver/pkg/storage/cacher/ready.go.
 */
const newDefinition = "storage is (re)initializing";

/** The informers to report. */
export interface FreshnessLogOptions {
  readonly cache: Cache;
  readonly log: ReconcileLog;
  readonly runtime: Runtime;
  /** True for a namespace that is not seen, because this user may not read it. */
  isLeftOut(namespace: string): boolean;
  /** The controllers that have not started because they need a kind. */
  waitingFor(kind: Kind): readonly string[];
}

/** Logs until `stop`, also about informers that are acquired later. */
export function logFreshness(options: FreshnessLogOptions): { stop(): void } {
  const log = new FreshnessLog(options);
  return { stop: () => log.stop() };
}

class FreshnessLog {
  readonly #options: FreshnessLogOptions;
  readonly #listener: { remove(): void };
  /** The kinds that are reported as not fresh, with the reason that was logged. */
  readonly #reported = new Map<Informer, string>();
  #gathering: Timer | undefined;
  #slow: Timer | undefined;

  constructor(options: FreshnessLogOptions) {
    this.#options = options;
    this.#listener = options.cache.onFreshness(() => this.#soon());
    this.#slowLater();
  }

  stop(): void {
    this.#gathering?.cancel();
    this.#slow?.cancel();
    this.#listener.remove();
  }

  #soon(): void {
    this.#gathering ??= this.#options.runtime.clock.timer(gatherMs, () => {
      this.#gathering = undefined;
      this.#say();
    });
  }

  #slowLater(): void {
    this.#slow = this.#options.runtime.clock.timer(slowSyncMs, () => {
      const late = this.#informers().filter(
        (informer) => !informer.hasSynced() && !this.#isLeftOut(informer),
      );
      const { absent = [], others = [] } = Object.groupBy(late, (informer) =>
        this.#isReported(informer) && !informer.freshness().isServed ? "absent" : "others",
      );
      const { log } = this.#options;
      if (absent.length > 0) log.warn(`still waiting for the first list of ${namesOf(absent)}`);
      for (const [reason, kinds] of byReason(others, (one) => one.freshness().reason))
        log.warn(`still waiting for the first list of ${kinds.join(", ")}: ${reason}`);
      this.#slowLater();
    });
  }

  #informers(): readonly Informer[] {
    return this.#options.cache.informers();
  }

  #isLeftOut({ scope: { namespace } }: Informer): boolean {
    return namespace !== undefined && this.#options.isLeftOut(namespace);
  }

  /** The reason without what may differ from time to time. */
  #causeOf(informer: Informer): string {
    const { lastError, reason } = informer.freshness();
    if (this.#isLeftOut(informer)) return "left out";
    return lastError ?? reason.replace(/\d+ s/g, "");
  }

  #reasonOf(informer: Informer): string {
    return describeReason(informer, this.#options.waitingFor(informer.kind));
  }

  #isReported(informer: Informer): boolean {
    return this.#reported.get(informer) === this.#causeOf(informer);
  }

  #say(): void {
    const { log } = this.#options;
    const behind = this.#informers().filter((informer) => {
      const { ready, lastError } = informer.freshness();
      if (ready) return false;
      return informer.hasSynced() || (lastError !== undefined && lastError !== newDefinition);
    });
    const news = behind.filter((informer) => !this.#isReported(informer));
    const leftOut = news.filter((informer) => this.#isLeftOut(informer));
    for (const [namespace, informers] of Map.groupBy(leftOut, ({ scope }) => scope.namespace))
      log.warn(
        `namespace ${namespace} is left out, because this user may not list and watch ${namesOf(informers)}: ${informers[0]!.freshness().lastError}`,
      );
    const others = news.filter((informer) => !leftOut.includes(informer));
    for (const [reason, kinds] of byReason(others, (one) => this.#reasonOf(one)))
      log.warn(`${kinds.join(", ")}: ${reason}`);
    for (const informer of news) this.#reported.set(informer, this.#causeOf(informer));
    const current = new Set(this.#informers());
    for (const informer of this.#reported.keys())
      if (!current.has(informer)) this.#reported.delete(informer);
    const back = [...this.#reported.keys()].filter((informer) => informer.freshness().ready);
    if (back.length > 0) log.info(`${namesOf(back)}: up to date with the server again`);
    for (const informer of back) this.#reported.delete(informer);
  }
}

const namesOf = (informers: readonly Informer[]): string =>
  informers.map(({ kind }) => kind.kind).join(", ");

function byReason(
  informers: readonly Informer[],
  reasonOf: (informer: Informer) => string,
): Map<string, string[]> {
  const kinds = new Map<string, string[]>();
  for (const informer of informers) {
    const reason = reasonOf(informer);
    kinds.set(reason, [...(kinds.get(reason) ?? []), informer.kind.kind]);
  }
  return kinds;
}

/** Why an informer is not fresh, and what waits for its first list. */
export function describeReason(informer: Informer, waiting: readonly string[]): string {
  const { reason } = informer.freshness();
  if (informer.hasSynced() || waiting.length === 0) return reason;
  return `${reason}; not started: ${describeControllers(waiting)}`;
}
