// Drives an aggregator of events: writes what it decides, one Event after the other, in the
// background.
// Upstream: k8s.io/client-go/tools/record/event.go (eventBroadcasterImpl).
import { type ApiStatusError, isApiStatusError, isNotFound } from "../api/status.ts";
import type { Client } from "../client/client.ts";
import type { Timer } from "../runtime/clock.ts";
import { unitInterval, uuid } from "../runtime/entropy.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { describeValue } from "../util/describe-error.ts";
import type { EventAggregator, EventWrite } from "./event-aggregator.ts";
import { coreV1, type EventEncoding, eventsV1, namespaceOf } from "./event-encoding.ts";
import type { EventRecorder, RecordedEvent } from "./recorder.ts";
import { checkArgument } from "../util/call-options.ts";
import { isOptions } from "../util/option-faults.ts";

export interface EventRecorderOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  /** The component that reports, e.g. `kitchen.example.com/orders`. */
  readonly controller: string;
  /** Its process, e.g. the name of the pod; default none, which events.k8s.io/v1 refuses. */
  readonly instance?: string;
  /** The API of the Events; `v1` for those of upstream's own components. */
  readonly api?: "events.k8s.io/v1" | "v1";
  /** Pending Events at most; default 1000. */
  readonly pendingKept?: number;
  /** How long `close` waits for pending Events, in ms; default 5000. */
  readonly closeTimeoutMs?: number;
  /**
   * Receives one warning if `close` drops Events, one for each namespace whose Events the server
   * refuses, and one for each type that is neither Normal nor Warning; default
   * `process.emitWarning`.
   */
  readonly warn?: (message: string) => void;
}

const maxNameLength = 253;
const defaultCloseTimeoutMs = 5_000;
/** Refusals and unsupported types reported at most. */
const warningsKept = 100;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Creates a recorder. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const call = "createEventRecorder(…)";
  checkArgument(call, ["its argument", options], "an object");
  checkArgument(call, ["client", options.client], "an object");
  checkArgument(call, ["runtime", options.runtime], "a runtime");
  checkArgument(call, ["controller", options.controller], "a string");
  return new QueuedRecorder(options);
}

class QueuedRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #encoding: EventEncoding;
  readonly #aggregator: EventAggregator;
  readonly #counts = { sent: 0, dropped: 0, failed: 0 };
  #pending: EventWrite[] = [];
  #sending: Promise<void> | undefined;
  #sweep: Timer | undefined;
  /** Reported ones. */
  readonly #warned = new Set<string>();
  readonly #aborted = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#encoding = options.api === "v1" ? coreV1 : eventsV1;
    this.#aggregator = this.#encoding.createAggregator();
  }

  record: EventRecorder["record"] = (event) => {
    if (this.#closing || this.#isUnsupported(event)) return;
    const now = this.#options.runtime.clock.now();
    const name = (): string => eventName(event.regarding.name ?? "", now, this.#options.runtime);
    const write = this.#aggregator.observe(event, name, now);
    if (write) this.#enqueue(write);
    if (!this.#sweep) this.#scheduleSweep();
  };

  stats: EventRecorder["stats"] = () => ({ ...this.#counts });

  close: EventRecorder["close"] = () => (this.#closing ??= this.#close());

  async #close(): Promise<void> {
    this.#sweep?.cancel();
    if (!this.#sending) return;
    const { runtime, closeTimeoutMs = defaultCloseTimeoutMs } = this.#options;
    const hold = runtime.clock.hold?.();
    const deadline = runtime.clock.timer(closeTimeoutMs, () => this.#dropPending(closeTimeoutMs));
    await this.#sending;
    deadline.cancel();
    hold?.cancel();
  }

  /** Once for each type. Upstream: client-go tools/record event.go ("Unsupported event type"). */
  #isUnsupported(event: RecordedEvent): boolean {
    const { type, reason, note, regarding } = event ?? {};
    const isText = typeof reason === "string" && typeof note === "string";
    if ((type === "Normal" || type === "Warning") && isText && isOptions(regarding)) return false;
    this.#counts.dropped++;
    const of = `${regarding?.kind} ${regarding?.name}`;
    const [code, problem] =
      type === "Normal" || type === "Warning"
        ? ["ERR_EVENT_TEXT", `reason and note are ${describeValue([reason, note])}, expected texts`]
        : [
            "ERR_EVENT_TYPE",
            `unsupported event type ${describeValue(type)}, expected Normal or Warning`,
          ];
    const what = `recording ${typeof reason === "string" ? reason : "an Event"} on ${of}`;
    this.#warnOnce(
      `${code} ${describeValue(type)}`,
      `${code}: ${what}: ${problem}; the Event is dropped`,
    );
    return true;
  }

  #warnOnce(what: string, message: string): void {
    if (this.#warned.has(what) || this.#warned.size >= warningsKept) return;
    this.#warned.add(what);
    (this.#options.warn ?? emitWarning)(message);
  }

  /** Drops the Event that is being sent and all pending ones: their requests are aborted. */
  #dropPending(waitedMs: number): void {
    const count = this.#pending.length + 1;
    this.#counts.dropped += count;
    this.#aborted.abort();
    const { controller, warn = emitWarning } = this.#options;
    warn(
      `close the event recorder of ${controller}: ${count} Events were not sent within ${waitedMs} ms and are dropped; check whether the server answers, or raise closeTimeoutMs`,
    );
  }

  #scheduleSweep(): void {
    const { sweepMs } = this.#aggregator;
    this.#sweep =
      sweepMs === undefined
        ? undefined
        : this.#options.runtime.clock.timer(sweepMs, () => this.#onSweep());
  }

  #onSweep(): void {
    for (const write of this.#aggregator.sweep(this.#options.runtime.clock.now()))
      this.#enqueue(write);
    this.#scheduleSweep();
  }

  #enqueue(write: EventWrite): void {
    if (this.#pending.length >= (this.#options.pendingKept ?? 1000)) {
      this.#counts.dropped++;
      return;
    }
    this.#pending.push(write);
    this.#sending ??= this.#drain();
  }

  async #drain(): Promise<void> {
    for (let write = this.#pending.shift(); write; write = this.#pending.shift()) {
      try {
        await this.#send(write);
        this.#counts.sent++;
      } catch (error) {
        if (this.#aborted.signal.aborted) continue;
        this.#counts.failed++;
        this.#reportRefusal(error, write);
      }
    }
    // In the same turn as the check that nothing is pending: a later Event starts a new drain.
    this.#sending = undefined;
  }

  /** Once for each status and namespace; faults of the server are reported elsewhere. */
  #reportRefusal(error: unknown, { event }: EventWrite): void {
    if (!isRefusal(error)) return;
    const { code, reason, message } = error.status;
    const namespace = namespaceOf(event);
    this.#warnOnce(
      `${code} ${namespace}`,
      `the server refuses Events of ${this.#options.controller} in namespace ${namespace}: ${message ?? reason}`,
    );
  }

  /** Patches a repeated Event, or creates it anew if it has expired. */
  async #send(write: EventWrite): Promise<void> {
    const { client, controller, instance = "" } = this.#options;
    const { kind, manifest, patch } = this.#encoding;
    const key = { namespace: namespaceOf(write.event), name: write.name };
    const { signal } = this.#aborted;
    try {
      if (write.count > 1) return void (await client.patch(kind, key, patch(write), { signal }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    await client.create(kind, manifest(write, { controller, instance }), { signal });
  }
}

/** Not that of a namespace that is going or gone, which is ordinary. */
function isRefusal(error: unknown): error is ApiStatusError {
  if (!isApiStatusError(error)) return false;
  const { code, details } = error.status;
  const isGoing = details?.causes?.some(({ reason }) => reason === "NamespaceTerminating");
  return code >= 400 && code < 500 && ![404, 429].includes(code) && isGoing !== true;
}

const emitWarning = (message: string): void =>
  process.emitWarning(message, { type: "HomeostatWarning" });

/**
 * Named after the object and the time, e.g. `soup.18a1f2c3d4e5f600`; a UUID if that is not a valid
 * name. The clock has milliseconds, in which several events may occur: the nanoseconds are random.
 */
function eventName(object: string, now: number, { entropy }: Runtime): string {
  const nanoseconds =
    BigInt(Math.floor(now)) * 1_000_000n + BigInt(Math.floor(unitInterval(entropy) * 1_000_000));
  const name = `${object}.${nanoseconds.toString(16)}`;
  return subdomain.test(name) && name.length <= maxNameLength ? name : uuid(entropy);
}
