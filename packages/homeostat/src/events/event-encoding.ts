// Events as the two APIs write them: core/v1, which kube-controller-manager uses and kubectl shows
// with counts, and events.k8s.io/v1, whose repeats are a series.
// Upstream: k8s.io/client-go/tools/record/event.go,
// k8s.io/client-go/tools/events/event_recorder.go.
import type { Patch } from "../client/client.ts";
import type { Kind } from "../api/kind.ts";
import { Event as CoreEvent } from "../k8s/core/v1/index.ts";
import { Event } from "../k8s/events/v1/index.ts";
import type { EventAggregator, EventWrite } from "./event-aggregator.ts";
import { EventCorrelator } from "./event-correlator.machine.ts";
import { EventSeries } from "./event-series.machine.ts";

/** The component and process that report events. */
export interface EventSource {
  readonly controller: string;
  readonly instance: string;
}

/** How one of the APIs aggregates and writes events. */
export interface EventEncoding {
  readonly kind: Kind;
  createAggregator(): EventAggregator;
  manifest(write: EventWrite, source: EventSource): object;
  /** The patch that brings an Event that exists up to date. */
  patch(write: EventWrite): Patch;
}

/**
 * Limits that the server enforces on events.k8s.io/v1, in bytes of UTF-8: Go's len() in
 * k8s.io/kubernetes/pkg/apis/core/validation/events.go.
 */
const limits = { note: 1024, instance: 128 } as const;

export const eventsV1: EventEncoding = {
  kind: Event,
  createAggregator: () => new EventSeries(),
  manifest(write, { controller, instance }) {
    const { regarding, related, note, ...event } = write.event;
    return {
      apiVersion: Event.apiVersion,
      kind: Event.kind,
      metadata: metadataOf(write),
      eventTime: formatMicroTime(write.firstAt),
      reportingController: controller,
      reportingInstance: cutToBytes(instance, limits.instance),
      ...event,
      note: cutToBytes(note, limits.note),
      regarding,
      ...(related ? { related } : {}),
      ...(write.count > 1 ? { series: seriesOf(write) } : {}),
    };
  },
  patch: (write) => ({ type: "merge", body: { series: seriesOf(write) } }),
};

export const coreV1: EventEncoding = {
  kind: CoreEvent,
  createAggregator: () => new EventCorrelator(),
  manifest(write, { controller, instance }) {
    const { regarding, type, reason, note } = write.event;
    return {
      apiVersion: CoreEvent.apiVersion,
      kind: CoreEvent.kind,
      metadata: metadataOf(write),
      involvedObject: regarding,
      reason,
      message: note,
      source: { component: controller },
      firstTimestamp: formatTime(write.firstAt),
      lastTimestamp: formatTime(write.lastAt),
      count: write.count,
      type,
      reportingComponent: write.isCombined ? "" : controller,
      reportingInstance: instance,
    };
  },
  patch: ({ count, lastAt, event }) => ({
    type: "strategic",
    body: { count, lastTimestamp: formatTime(lastAt), message: event.note },
  }),
};

const metadataOf = ({ name, event }: EventWrite): object => ({
  name,
  namespace: namespaceOf(event),
});

/** The namespace of an event; those of cluster-wide objects are in `default`. */
export const namespaceOf = ({ regarding }: EventWrite["event"]): string =>
  regarding.namespace || "default";

const seriesOf = ({ count, lastAt }: EventWrite): object => ({
  count,
  lastObservedTime: formatMicroTime(lastAt),
});

/** meta/v1 MicroTime, e.g. `2026-01-01T00:00:00.000000Z`. */
const formatMicroTime = (wall: number): string => new Date(wall).toISOString().replace("Z", "000Z");

/** meta/v1 Time, e.g. `2026-01-01T00:00:00Z`. */
const formatTime = (wall: number): string => `${new Date(wall).toISOString().slice(0, 19)}Z`;

/** The beginning of a text that has at most `most` bytes, without half a character. */
function cutToBytes(text: string, most: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(most));
  return text.slice(0, read);
}
