// Sends what the series machine decides as events.k8s.io/v1 Events, one after the other, in the
// background.
import type { JsonObject } from "../api/json.ts";
import { isNotFound } from "../api/status.ts";
import type { Client } from "../client/client.ts";
import { dynamicKind } from "../client/discovery/kind-resolver.ts";
import type { Timer } from "../runtime/clock.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { EventSeries, type EventMessage, seriesDefaults } from "./event-series.machine.ts";
import type { EventNote, EventRecorder } from "./recorder.ts";

export interface EventRecorderOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  /** e.g. `kitchen.example.com/orders`. */
  readonly controller: string;
  /** Which process, e.g. the pod's name. */
  readonly instance: string;
  /** Events waiting at most; default 1000. */
  readonly pendingKept?: number;
}

const eventKind = dynamicKind({
  apiVersion: "events.k8s.io/v1",
  kind: "Event",
  resource: "events",
  scope: "Namespaced",
});
/** Limits that the server enforces, in characters: note, name, reporting instance. */
const limits = { note: 1024, name: 253, instance: 128 } as const;

/** Creates a recorder. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new QueuedRecorder(options);
}

class QueuedRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series = new EventSeries();
  readonly #counts = { sent: 0, dropped: 0, failed: 0 };
  #pending: EventMessage[] = [];
  #sending: Promise<void> | undefined;
  #sweep: Timer | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  record: EventRecorder["record"] = (note) => {
    const now = this.#options.runtime.clock.now();
    const suffix = `.${BigInt(Math.round(now * 1e6)).toString(16)}`;
    const message = this.#series.record(
      note,
      note.regarding.metadata.name.slice(0, limits.name - suffix.length) + suffix,
      now,
    );
    if (message) this.#enqueue(message);
    this.#sweep ??= this.#options.runtime.clock.timer(seriesDefaults.finishMs, () =>
      this.#onSweep(),
    );
  };

  stats: EventRecorder["stats"] = () => ({ ...this.#counts });

  close: EventRecorder["close"] = async () => {
    this.#sweep?.cancel();
    await this.#sending;
  };

  #onSweep(): void {
    for (const message of this.#series.sweep(this.#options.runtime.clock.now()))
      this.#enqueue(message);
    this.#sweep = this.#series.size
      ? this.#options.runtime.clock.timer(seriesDefaults.finishMs, () => this.#onSweep())
      : undefined;
  }

  #enqueue(message: EventMessage): void {
    if (this.#pending.length >= (this.#options.pendingKept ?? 1000)) {
      this.#counts.dropped++;
      return;
    }
    this.#pending.push(message);
    this.#sending ??= this.#drain().finally(() => (this.#sending = undefined));
  }

  async #drain(): Promise<void> {
    for (let message = this.#pending.shift(); message; message = this.#pending.shift()) {
      try {
        await this.#send(message);
        this.#counts.sent++;
      } catch {
        this.#counts.failed++;
      }
    }
  }

  async #send(message: EventMessage): Promise<void> {
    const { client } = this.#options;
    const event = toEvent(message, this.#options);
    if (message.send === "event") return void (await client.create(eventKind, event as never));
    const { namespace, name } = event["metadata"] as { namespace: string; name: string };
    try {
      await client.patch(
        eventKind,
        { namespace, name },
        { type: "merge", body: { series: event["series"] } },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await client.create(eventKind, event as never);
    }
  }
}

function toEvent(
  message: EventMessage,
  { controller, instance }: EventRecorderOptions,
): JsonObject {
  const { note, name } = message;
  return {
    apiVersion: eventKind.apiVersion,
    kind: eventKind.kind,
    metadata: { name, namespace: note.regarding.metadata.namespace ?? "default" },
    eventTime: formatMicroTime(message.at),
    reportingController: controller,
    reportingInstance: instance.slice(0, limits.instance),
    action: note.action,
    reason: note.reason,
    type: note.type,
    note: note.note.slice(0, limits.note),
    regarding: toReference(note.regarding),
    ...(note.related ? { related: toReference(note.related) } : {}),
    ...(message.send === "series"
      ? { series: { count: message.count, lastObservedTime: formatMicroTime(message.lastAt) } }
      : {}),
  };
}

function toReference({ apiVersion, kind, metadata }: EventNote["regarding"]): JsonObject {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    uid,
    resourceVersion,
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** meta/v1 MicroTime, e.g. `2026-01-01T00:00:00.000000Z`. */
function formatMicroTime(wall: number): string {
  return new Date(wall).toISOString().replace("Z", "000Z");
}
