// Create, get, update, patch and apply: custom resources and config maps, in JSON and protobuf, one
// at a time and sixteen at a time.
import type { Kind } from "homeostat";
import type { Client } from "homeostat/client";
import { cpuSeconds, perUnit } from "../measure/process-usage.ts";
import { median, percentile } from "../measure/statistics.ts";
import type { Place } from "../places/place.ts";
import { configMapEnvelope, protobufType } from "./config-map-envelope.ts";
import { order, Order } from "./objects.ts";
import type { Figures, ServerRow } from "./row.ts";
import { configMap, fill, maps, orders, type Subject, text } from "./subject.ts";
import { configMaps, inLanes, withClient } from "./with-client.ts";

/**
 * `count` calls in 16 lanes on a server that has just started, `count` more once it is warm, then
 * 100 one by one for latency.
 */
async function measure(
  place: Place,
  count: number,
  call: (i: number) => Promise<unknown>,
): Promise<Figures> {
  const first = await measureLanes(place, count, call);
  const warm = await measureLanes(place, count, (i) => call(count + i));
  const single = await inLanes(100, 1, (i) => call(2 * count + i));
  return {
    "per s": (count * 1000) / warm.ms,
    "p99 ms": percentile(warm.samples, 0.99),
    "one by one, p50 ms": median(single),
    "server CPU µs": warm.cpu,
    [`server CPU µs, first ${count}`]: first.cpu,
  };
}

async function measureLanes(
  place: Place,
  count: number,
  call: (i: number) => Promise<unknown>,
): Promise<{
  readonly ms: number;
  readonly samples: readonly number[];
  readonly cpu: number | undefined;
}> {
  const cpu = cpuSeconds(place.pids);
  const start = performance.now();
  const samples = await inLanes(count, 16, call);
  const ms = performance.now() - start;
  const used = cpuSeconds(place.pids);
  return {
    ms,
    samples,
    cpu: perUnit(used, cpu, count),
  };
}

const builtinNote = "JSON on both sides; client-go uses protobuf: see the rows in protobuf";

const noteOf = (kind: Kind): { readonly note?: string } =>
  kind === configMaps ? { note: builtinNote } : {};

/** A row of calls on fresh objects. */
function createRow(name: string, what: string, { kind, manifest }: Subject): ServerRow {
  return {
    at: "server",
    name,
    what,
    ...noteOf(kind),
    run: (place, { factor }) =>
      withClient(place, name, (client) =>
        measure(place, Math.round(2000 * factor), (i) => client.create(kind, manifest(i))),
      ),
  };
}

/** A row of calls on 200 objects, one after the other. */
interface Calls {
  readonly name: string;
  readonly what: string;
  readonly subject: Subject;
  /** With factor 1. */
  readonly count: number;
  /** Makes the call on the `i`th turn. Resolves to the object, if the next call needs it. */
  call(client: Client, object: Created, i: number): Promise<unknown>;
}

type Created = Awaited<ReturnType<typeof fill>>[number];

function callRow({ name, what, subject, count, call }: Calls): ServerRow {
  return {
    at: "server",
    name,
    what,
    ...noteOf(subject.kind),
    run: (place, { factor }) =>
      withClient(place, name, async (client) => {
        const objects = await fill(client, subject, 200);
        return measure(place, Math.round(count * factor), (i) =>
          call(client, objects[i % objects.length]!, i),
        );
      }),
  };
}

const get = (name: string, what: string, subject: Subject): ServerRow =>
  callRow({
    name,
    what,
    subject,
    count: 5000,
    call: (client, { metadata }) => client.get(subject.kind, metadata.name),
  });

/** Calls that change one field of existing objects, to another value each time. */
const changes: readonly Omit<Calls, "count">[] = [
  {
    name: "update-custom",
    what: "updates of custom resources, each with the resourceVersion of the answer before",
    subject: orders,
    async call(client, object, i) {
      const { spec } = order(0);
      const changed: object = { ...object, spec: { ...spec, table: (i % 1000) + 1 } };
      Object.assign(object, await client.update(orders.kind, changed));
    },
  },
  {
    name: "patch-custom",
    what: "merge patches of custom resources",
    subject: orders,
    call: (client, { metadata: { name } }, i) =>
      client.patch(Order, name, { type: "merge", body: { spec: { table: (i % 1000) + 1 } } }),
  },
  {
    name: "apply-custom",
    what: "applies to custom resources, one field of the applied eight changed",
    subject: orders,
    call(client, { metadata: { name } }, i) {
      const { spec } = order(0);
      return client.apply(Order, Order(name, { ...spec, table: (i % 1000) + 1 }), { force: true });
    },
  },
  {
    name: "patch-configmap",
    what: "strategic merge patches of config maps",
    subject: maps,
    call: (client, { metadata: { name } }, i) =>
      client.patch(configMaps, name, { type: "strategic", body: { data: { at: String(i) } } }),
  },
];

const protobuf = { accept: protobufType, "content-type": protobufType };

const createProtobuf: ServerRow = {
  at: "server",
  name: "create-configmap-protobuf",
  what: "create config maps of 1 KB, protobuf both ways",
  run: (place, { factor }) =>
    withClient(place, "create-pb", (client) =>
      measure(place, Math.round(2000 * factor), (i) =>
        client.request({
          method: "POST",
          path: maps.path(client.namespace),
          headers: protobuf,
          body: configMapEnvelope(configMap(i).metadata.name, { text }),
        }),
      ),
    ),
};

const getProtobuf = callRow({
  name: "get-configmap-protobuf",
  what: "get config maps in protobuf",
  subject: maps,
  count: 5000,
  call: (client, { metadata: { name } }) =>
    client.request({
      method: "GET",
      path: maps.path(client.namespace, name),
      headers: { accept: protobufType },
    }),
});

/** The rows of single requests. */
export const requestRows: readonly ServerRow[] = [
  createRow("create-custom", "create custom resources of 1.4 KB", orders),
  createRow("create-configmap", "create config maps of 1 KB", maps),
  get("get-custom", "get custom resources", orders),
  get("get-configmap", "get config maps", maps),
  createProtobuf,
  getProtobuf,
  ...changes.map((change) => callRow({ ...change, count: 2000 })),
];
