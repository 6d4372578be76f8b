// Events about one object.
// Upstream: k8s.io/client-go/tools/record/event.go (EventRecorder.Event).
import { type EventRecorder, objectReference } from "homeostat/events";
import type { Kind } from "homeostat/api";
import type { ApiObject } from "../meta/api-object.ts";

/** Records events about one object. */
export interface ObjectEvents {
  /** `reason` is in CamelCase, e.g. `SuccessfulCreate`; `note` is for people. */
  normal(reason: string, note: string): undefined;
  warning(reason: string, note: string): undefined;
}

/** The events about `object`, at the revision that was read. */
export function eventsAbout<O extends ApiObject>(
  recorder: EventRecorder,
  kind: Kind<O>,
  object: O,
): ObjectEvents {
  const record =
    (type: "Normal" | "Warning") =>
    (reason: string, note: string): undefined =>
      void recorder.record({ regarding: objectReference(kind, object), type, reason, note });
  return { normal: record("Normal"), warning: record("Warning") };
}
