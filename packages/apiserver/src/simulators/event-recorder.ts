// Tells of what controllers of the control plane do, as they do it: core/v1 Events, a repeated one counted up. Telling is
// never waited for, and what cannot be told is lost.
// Upstream: k8s.io/client-go/tools/record (event.go, events_cache.go).
import { isNotFound } from "homeostat/api";
import { type Client, dynamicKind } from "homeostat/client";
import { type Runtime, unitInterval, uuid } from "homeostat/runtime";

/** What happened to an object. */
export interface SimulatorEvent {
  /** `namespace` is "" for cluster-wide objects. */
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly namespace: string; readonly name: string; readonly uid: string };
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

interface Told {
  readonly name: string;
  readonly namespace: string;
  count: number;
}

const events = dynamicKind({ apiVersion: "v1", kind: "Event", resource: "events", scope: "Namespaced" });
/** Different events remembered for counting (`maxLruCacheEntries`). */
const remembered = 4096;
const longestName = 253;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Creates the recorder of `component`, e.g. `garbage-collector-controller`. */
export function createSimulatorEventRecorder(client: Client, runtime: Runtime, component: string): SimulatorEventRecorder {
  const told = new Map<string, Told>();
  let closed = false;
  let sending = Promise.resolve();
  return {
    record(event) {
      const key = JSON.stringify(event);
      sending = sending.then(async () => {
        if (closed) return;
        const before = told.get(key);
        const sent = (await (before ? repeat(client, runtime, before) : undefined)) ?? (await create(client, runtime, component, event));
        if (sent) told.set(key, sent);
        if (told.size > remembered) for (const oldest of told.keys()) return void told.delete(oldest);
      });
    },
    close() {
      closed = true;
      return sending;
    },
  };
}

async function create(client: Client, runtime: Runtime, component: string, { object, type, reason, message }: SimulatorEvent): Promise<Told | undefined> {
  const now = runtime.clock.now();
  const name = nameOf(object.name, now, runtime);
  const namespace = object.namespace || "default";
  const at = seconds(now);
  const { namespace: of, ...rest } = object;
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace },
    involvedObject: { ...rest, ...(of ? { namespace: of } : {}) },
    reason,
    message,
    source: { component },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    type,
    reportingComponent: component,
    reportingInstance: "",
  };
  return client.create(events, event as never).then(
    () => ({ name, namespace, count: 1 }),
    () => undefined,
  );
}

/**
 * Named after the object and the moment, e.g. `soup.18a1f2c3d4e5f600`; by chance where that could not be a name. The clock
 * shows milliseconds and several things may happen in one: chance adds the nanoseconds, or the second event would be refused.
 */
function nameOf(object: string, now: number, { entropy }: Runtime): string {
  const nanoseconds = BigInt(Math.floor(now)) * 1_000_000n + BigInt(Math.floor(unitInterval(entropy) * 1_000_000));
  const name = `${object}.${nanoseconds.toString(16)}`;
  return subdomain.test(name) && name.length <= longestName ? name : uuid(entropy);
}

/** Undefined when the event is gone: they do not live for ever. */
async function repeat(client: Client, runtime: Runtime, told: Told): Promise<Told | undefined> {
  const body = { count: told.count + 1, lastTimestamp: seconds(runtime.clock.now()) };
  try {
    await client.patch(events, { name: told.name, namespace: told.namespace }, { type: "strategic", body });
    return { ...told, count: told.count + 1 };
  } catch (error) {
    return isNotFound(error) ? undefined : told;
  }
}

const seconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
