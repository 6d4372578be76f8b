/**
 * The event recorder, usable alone: Events of events.k8s.io/v1 or core/v1 with repeats aggregated.
 * @module homeostat/events
 */
export { createEventRecorder, type EventRecorderOptions } from "./create-recorder.ts";
export { objectReference } from "./object-reference.ts";
export type { EventRecorder, RecordedEvent } from "./recorder.ts";
