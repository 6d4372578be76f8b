// The streams of changes of a manager, to few readers at a time. Without a reader nothing is made;
// what is made is gathered for a moment, and sent to each as far as it takes it.
import { parseObjectKey } from "../../../api/object-meta.ts";
import type { Kind } from "../../../api/kind.ts";
import type { ObjectState } from "../../../controller/object-state.ts";
import type { Clock, Timer } from "../../../runtime/clock.ts";
import type { ClusterInspection } from "../cluster-inspection.ts";
import type { RecordedAttempt } from "../history/recorded-attempt.ts";
import { reportAttempt } from "../report-history.ts";
import { reportState } from "../report-objects.ts";
import { type Seen, seenOf, type Viewer } from "../viewer.ts";
import { PartChanges } from "./part-changes.ts";
import { type AboutObject, type EventQuery, StreamEvent } from "./stream-event.ts";
import { StreamReader } from "./stream-reader.ts";

/** Readers at a time. */
export const mostReaders = 32;

/** What happens within this time is sent at once. */
const gatherMs = 50;
/** Parts are looked at so often. */
const lookMs = 1000;
/** A line to each reader after so many looks. */
const looksPerBeat = 15;

export class ChangeStreams {
  readonly #clock: Clock;
  readonly #readers = new Set<StreamReader>();
  readonly #parts = new PartChanges();
  #inspect: () => readonly ClusterInspection[] = () => [];
  #gathering: Timer | undefined;
  #looking: Timer | undefined;
  #looks = 0;
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new reader; undefined when there are too many. */
  open(
    query: EventQuery,
    viewer: Viewer | undefined,
    inspect: () => readonly ClusterInspection[],
  ): StreamReader | undefined {
    if (this.#isStopped || this.#readers.size >= mostReaders) return undefined;
    this.#inspect = inspect;
    const reader: StreamReader = new StreamReader({
      query,
      viewer,
      now: () => this.#clock.monotonic(),
      closed: () => this.#left(reader),
    });
    this.#readers.add(reader);
    if (this.#readers.size === 1) {
      this.#parts.look(inspect());
      this.#lookLater();
    }
    return reader;
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** The state of an object has changed. */
  changed(state: ObjectState, kind: Kind): void {
    if (this.#readers.size === 0) return;
    const runner = { name: state.controller, kind };
    this.#tell("object", aboutObject(state.controller, kind, state.key), () =>
      reportState(runner, state),
    );
  }

  /** An attempt has ended. */
  ended(attempt: RecordedAttempt): void {
    if (this.#readers.size === 0) return;
    const { of, key } = attempt;
    this.#tell("attempt", aboutObject(of.name, of, key), () => reportAttempt(attempt));
  }

  /** Ends all streams, and opens no more. */
  stop(): void {
    this.#isStopped = true;
    for (const reader of [...this.#readers]) reader.close("the manager has stopped");
  }

  #tell(name: "object" | "attempt", about: AboutObject, report: () => object): void {
    const event = new StreamEvent(name, about, report);
    for (const reader of this.#readers) reader.take(event);
    this.#flushSoon();
  }

  #flushSoon(): void {
    this.#gathering ??= this.#clock.timer(gatherMs, () => {
      this.#gathering = undefined;
      for (const reader of this.#readers) reader.flush();
    });
  }

  #lookLater(): void {
    this.#looking = this.#clock.timer(lookMs, () => {
      for (const event of this.#parts.look(this.#inspect()))
        for (const reader of this.#readers) reader.take(event);
      this.#looks = (this.#looks + 1) % looksPerBeat;
      if (this.#looks === 0) for (const reader of [...this.#readers]) reader.beat();
      this.#flushSoon();
      if (this.#readers.size > 0) this.#lookLater();
    });
  }

  #left(reader: StreamReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#looking?.cancel();
    this.#gathering?.cancel();
    this.#gathering = undefined;
    this.#parts.reset();
  }
}

function aboutObject(
  controller: string,
  kind: { readonly apiVersion: string; readonly resource: string },
  key: string,
): AboutObject {
  const { namespace } = parseObjectKey(key);
  return { controller, namespace, seen: seenOf(kind, namespace) };
}

/** What a reader may come to see: the kinds that are reconciled, where there are objects. */
export const seenNow = (clusters: readonly ClusterInspection[]): readonly Seen[] =>
  clusters.flatMap(({ controllers }) =>
    controllers.flatMap(({ runner }) => {
      const namespaces = new Set(runner.states().map(({ key }) => parseObjectKey(key).namespace));
      return [...namespaces].map((namespace) => seenOf(runner.kind, namespace));
    }),
  );
