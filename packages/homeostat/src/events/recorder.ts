// The event recorder: reports what a component did to an object as Events of the API.
import type { ObjectReference } from "../k8s/core/v1/models.ts";

/** One occurrence to be recorded. */
export interface RecordedEvent {
  /** The object that the event is about. */
  readonly regarding: ObjectReference;
  /** A second object; events.k8s.io/v1 only. */
  readonly related?: ObjectReference;
  readonly type: "Normal" | "Warning";
  /** Short and in CamelCase, e.g. `Scheduled`. */
  readonly reason: string;
  /** What was done or attempted, in CamelCase; events.k8s.io/v1 requires it, core/v1 has none. */
  readonly action?: string;
  /** For people, e.g. `Created pod: web-0`. */
  readonly note: string;
}

/** Never throws and never blocks: events that do not fit into the queue are dropped and counted. */
export interface EventRecorder {
  record(event: RecordedEvent): void;
  stats(): { readonly sent: number; readonly dropped: number; readonly failed: number };
  /**
   * Sends what is pending, then stops. Drops what is not sent in time, with one warning.
   * Idempotent.
   */
  close(): Promise<void>;
}
