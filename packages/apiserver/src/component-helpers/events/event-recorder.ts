// Tells of what controllers of the control plane do, as they do it: core/v1 Events, a repeated one
// counted up. Telling is never waited for, and what cannot be told is lost.
// Upstream: k8s.io/client-go/tools/record (event.go, events_cache.go).
import { isNotFound, type Metadata } from "homeostat/api";
import { type Client, dynamicKind } from "homeostat/client";
import { type Runtime, unitInterval, uuid } from "homeostat/runtime";
import { EventCorrelator, remember } from "./event-correlator.ts";

/** Whom an event is about. */
export interface EventObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** "" for cluster-wide objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** At which the object was seen; left out where only its reference is known. */
  readonly resourceVersion?: string;
}

/** What happened to an object. */
export interface SimulatorEvent {
  readonly object: EventObject;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Records events of one component. */
export interface SimulatorEventRecorder {
  record(event: SimulatorEvent): void;
  /** Resolves when what was recorded is sent; nothing is sent afterwards. */
  close(): Promise<void>;
}

/** An event as it was last told. */
interface Told {
  readonly name: string;
  readonly namespace: string;
  readonly count: number;
  readonly firstTimestamp: string;
}

const events = dynamicKind({
  apiVersion: "v1",
  kind: "Event",
  resource: "events",
  scope: "Namespaced",
});
const longestName = 253;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** An object of a kind, as events refer to it. */
export function eventObject(
  { apiVersion, kind }: Pick<EventObject, "apiVersion" | "kind">,
  { metadata }: { readonly metadata: Metadata },
): EventObject {
  const { name, namespace = "", uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

/** Creates the recorder of `component`, e.g. `garbage-collector-controller`. */
export function createSimulatorEventRecorder(
  client: Client,
  runtime: Runtime,
  component: string,
): SimulatorEventRecorder {
  const told = new Map<string, Told>();
  const correlator = new EventCorrelator(runtime.clock);
  let closed = false;
  let sending = Promise.resolve();
  return {
    record(event) {
      const now = runtime.clock.now();
      const { key, message, combined, dropped } = correlator.observe(event);
      const first = (): Told => ({
        name: nameOf(event.object.name, now, runtime),
        namespace: event.object.namespace || "default",
        count: 0,
        firstTimestamp: seconds(now),
      });
      const before = told.get(key) ?? first();
      const next = { ...before, count: before.count + 1 };
      remember(told, key, next);
      if (!dropped)
        sending = sending.then(async () =>
          closed
            ? undefined
            : send(client, next, {
                event: { ...event, message },
                component,
                combined,
                at: seconds(now),
              }),
        );
    },
    close() {
      closed = true;
      return sending;
    },
  };
}

interface Telling {
  readonly event: SimulatorEvent;
  readonly component: string;
  readonly combined: boolean;
  readonly at: string;
}

/** Counts an event up, or creates it: also one that is gone, for they do not live for ever. */
async function send(client: Client, told: Told, telling: Telling): Promise<void> {
  const { name, namespace, count } = told;
  const body = { count, lastTimestamp: telling.at, message: telling.event.message };
  try {
    if (count > 1)
      return void (await client.patch(events, { name, namespace }, { type: "strategic", body }));
  } catch (error) {
    if (!isNotFound(error)) return;
  }
  await client.create(events, manifest(told, telling) as never).catch(() => undefined);
}

function manifest(
  { name, namespace, count, firstTimestamp }: Told,
  { event, component, combined, at }: Telling,
): object {
  const { object, type, reason, message } = event;
  const { namespace: of, ...rest } = object;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: { ...rest, ...(of ? { namespace: of } : {}) },
    reason,
    message,
    source: { component },
    firstTimestamp,
    lastTimestamp: at,
    count,
    type,
    reportingComponent: combined ? "" : component,
    reportingInstance: "",
  };
}

/**
 * Named after the object and the moment, e.g. `soup.18a1f2c3d4e5f600`; by chance where that could
 * not be a name. The clock shows milliseconds and several things may happen in one: chance adds the
 * nanoseconds, or the second event would be refused.
 */
function nameOf(object: string, now: number, { entropy }: Runtime): string {
  const nanoseconds =
    BigInt(Math.floor(now)) * 1_000_000n + BigInt(Math.floor(unitInterval(entropy) * 1_000_000));
  const name = `${object}.${nanoseconds.toString(16)}`;
  return subdomain.test(name) && name.length <= longestName ? name : uuid(entropy);
}

const seconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
