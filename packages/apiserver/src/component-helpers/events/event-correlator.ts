// Keeps a flood of events small: many of one reason about one object become one that counts them,
// and who keeps telling of one object is not listened to for a while. Knows nothing of sending.
// Upstream: k8s.io/client-go/tools/record/events_cache.go (EventAggregator,
// EventSourceObjectSpamFilter).
import type { Clock } from "homeostat/runtime";
import type { SimulatorEvent } from "./event-recorder.ts";

/** Different messages of one reason after which they are told as one. */
const mostMessages = 10;
/** Quiet after which they are told one by one again. */
const forgetMs = 600_000;
/** Events about one object that are sent at once; then one more every five minutes. */
const mostAtOnce = 25;
const refillMs = 300_000;
/** Objects and reasons remembered (`maxLruCacheEntries`). */
const remembered = 4096;

/** How an event is to be told. */
export interface CorrelatedEvent {
  /** Events of one key are one event that is counted up. */
  readonly key: string;
  readonly message: string;
  /** It stands for several events. */
  readonly combined: boolean;
  /** It is counted and not sent. */
  readonly dropped: boolean;
}

/** Remembers what one component has told. */
export class EventCorrelator {
  readonly #clock: Pick<Clock, "now">;
  readonly #messages = new Map<string, { readonly texts: Set<string>; readonly at: number }>();
  readonly #allowances = new Map<string, { readonly left: number; readonly at: number }>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Takes note of an event. */
  observe({ object, type, reason, message }: SimulatorEvent): CorrelatedEvent {
    const now = this.#clock.now();
    const whom = [object.apiVersion, object.kind, object.namespace, object.name, object.uid, type];
    const dropped = !this.#mayTell(JSON.stringify(whom), now);
    const group = JSON.stringify([...whom, reason]);
    if (this.#countMessages(group, message, now) < mostMessages)
      return { key: JSON.stringify([...whom, reason, message]), message, combined: false, dropped };
    return {
      key: group,
      message: `(combined from similar events): ${message}`,
      combined: true,
      dropped,
    };
  }

  #countMessages(group: string, message: string, now: number): number {
    const before = this.#messages.get(group);
    const texts = before && now - before.at <= forgetMs ? before.texts : new Set<string>();
    texts.add(message);
    remember(this.#messages, group, { texts, at: now });
    const { size } = texts;
    if (size >= mostMessages) texts.delete(message);
    return size;
  }

  #mayTell(about: string, now: number): boolean {
    const { left, at } = this.#allowances.get(about) ?? { left: mostAtOnce, at: now };
    const have = Math.min(mostAtOnce, left + (now - at) / refillMs);
    remember(this.#allowances, about, { left: have >= 1 ? have - 1 : have, at: now });
    return have >= 1;
  }
}

/** Sets an entry and makes it the youngest; the oldest is forgotten when there are too many. */
export function remember<T>(entries: Map<string, T>, key: string, value: T): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size > remembered)
    for (const oldest of entries.keys()) return void entries.delete(oldest);
}
