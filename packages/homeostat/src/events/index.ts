// The door to this folder for the layers above.
export { createEventRecorder, type EventRecorderOptions } from "./create-recorder.ts";
export type { EventNote, EventRecorder } from "./recorder.ts";
