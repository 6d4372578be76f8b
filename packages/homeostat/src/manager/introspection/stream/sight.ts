// What one reader of a stream may see: verdicts by resource and namespace, asked about in the
// background. While nothing is known of objects, their events wait for no answer.
import { formatSeen, type Seen, type Viewer } from "../viewer.ts";

/** A verdict is asked for again after so long. */
const holdsMs = 30_000;

/** Verdicts that one reader has at a time; what is beyond them is hidden. */
const most = 1000;

interface Verdict {
  isAllowed: boolean | undefined;
  isAsking: boolean;
  until: number;
  /** Events that came before the first answer. */
  unknown: number;
}

/** What is told of events that came before an answer. */
export interface SightOptions {
  readonly viewer: Viewer;
  /** Monotonic time in ms. */
  now(): number;
  /** So many events could not be shown before it was known whether they may be. */
  decided(events: number, isAllowed: boolean): void;
}

export class Sight {
  readonly #options: SightOptions;
  readonly #verdicts = new Map<string, Verdict>();

  constructor(options: SightOptions) {
    this.#options = options;
  }

  /** Asks about these in advance. */
  async learn(all: readonly Seen[]): Promise<void> {
    const unknown = new Map(all.map((one) => [formatSeen(one), one]));
    for (const one of [...unknown.values()].slice(0, most)) await this.#ask(one);
  }

  /** Whether an event about such an object may be shown; undefined while that is not known. */
  allows(seen: Seen): boolean | undefined {
    const verdict = this.#verdicts.get(formatSeen(seen));
    if (!verdict && this.#verdicts.size >= most) return false;
    if (!verdict || (!verdict.isAsking && this.#options.now() > verdict.until))
      void this.#ask(seen);
    if (verdict?.isAllowed !== undefined) return verdict.isAllowed;
    this.#verdicts.get(formatSeen(seen))!.unknown++;
    return undefined;
  }

  async #ask(seen: Seen): Promise<void> {
    const id = formatSeen(seen);
    const verdict = this.#verdicts.get(id) ?? {
      isAllowed: undefined,
      isAsking: false,
      until: 0,
      unknown: 0,
    };
    this.#verdicts.set(id, verdict);
    verdict.isAsking = true;
    const isAllowed = await this.#options.viewer.mayGet(seen).catch(() => false);
    verdict.isAsking = false;
    verdict.isAllowed = isAllowed;
    verdict.until = this.#options.now() + holdsMs;
    if (verdict.unknown > 0) this.#options.decided(verdict.unknown, isAllowed);
    verdict.unknown = 0;
  }
}
