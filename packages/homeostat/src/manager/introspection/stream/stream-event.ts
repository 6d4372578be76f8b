// One change, for all that listen: its text is made once, when the first of them needs it.
import type { Seen } from "../viewer.ts";

/** What changes are of. */
export const eventNames = ["object", "attempt", "informer", "election", "ring"] as const;
export type EventName = (typeof eventNames)[number];

/** Which objects a change is about; undefined for parts of the manager. */
export interface AboutObject {
  readonly controller: string;
  readonly namespace: string | undefined;
  readonly seen: Seen;
}

/** A change. */
export class StreamEvent {
  readonly name: EventName;
  readonly about: AboutObject | undefined;
  readonly #report: () => object;
  #text: string | undefined;

  constructor(name: EventName, about: AboutObject | undefined, report: () => object) {
    this.name = name;
    this.about = about;
    this.#report = report;
  }

  /** The event as server-sent text. */
  get text(): string {
    return (this.#text ??= formatEvent(this.name, this.#report()));
  }
}

/** e.g. `event: object\ndata: {"state":"done"}\n\n`: JSON has no line breaks. */
export const formatEvent = (name: string, data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** Which events are asked for. */
export interface EventQuery {
  readonly names: ReadonlySet<string>;
  /** Of objects and attempts. Default: all. */
  readonly controller: string | undefined;
  readonly namespace: string | undefined;
}

/** True for an event that is asked for. */
export function isAskedFor(
  { name, about }: StreamEvent,
  { names, controller, namespace }: EventQuery,
): boolean {
  if (!names.has(name)) return false;
  if (!about) return true;
  return (
    (controller === undefined || about.controller === controller) &&
    (namespace === undefined || about.namespace === namespace)
  );
}
