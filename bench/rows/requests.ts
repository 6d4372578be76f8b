// Create, get, patch, apply and list: custom resources and config maps, in JSON and protobuf, one
// at a time and sixteen at a time.
import type { Kind } from "homeostat";
import type { Client } from "homeostat/client";
import { cpuSeconds } from "../measure/process-usage.ts";
import { median, percentile } from "../measure/statistics.ts";
import type { Place } from "../places/place.ts";
import { configMapEnvelope, protobufType } from "./config-map-envelope.ts";
import { order, Order } from "./objects.ts";
import type { Figures, ServerRow } from "./row.ts";
import { configMaps, inLanes, withClient } from "./with-client.ts";

const text = "a".repeat(1000);
const configMap = (i: number) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: `map-${String(i).padStart(6, "0")}` },
  data: { text },
});

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
    cpu: cpu === undefined || used === undefined ? undefined : ((used - cpu) * 1e6) / count,
  };
}

const builtinNote = "JSON on both sides; client-go uses protobuf: see the rows in protobuf";

function createRow(
  name: string,
  what: string,
  kind: Kind,
  manifest: (i: number) => object,
): ServerRow {
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

function getRow(
  name: string,
  what: string,
  kind: Kind,
  manifest: (i: number) => object,
): ServerRow {
  return {
    at: "server",
    name,
    what,
    ...noteOf(kind),
    run: (place, { factor }) =>
      withClient(place, name, async (client) => {
        const names = await fill(client, kind, manifest, 200);
        return measure(place, Math.round(5000 * factor), (i) =>
          client.get(kind, names[i % names.length]!),
        );
      }),
  };
}

/** What a row is called and which objects it uses. */
interface Subject {
  readonly name: string;
  readonly what: string;
  readonly kind: Kind;
  readonly manifest: (i: number) => object;
}

/** Changes one field of existing objects, to another value with each call. */
function changeRow(
  { name, what, kind, manifest }: Subject,
  change: (client: Client, name: string, i: number) => Promise<unknown>,
): ServerRow {
  return {
    at: "server",
    name,
    what,
    run: (place, { factor }) =>
      withClient(place, name, async (client) => {
        const names = await fill(client, kind, manifest, 200);
        return measure(place, Math.round(2000 * factor), (i) =>
          change(client, names[i % names.length]!, i),
        );
      }),
  };
}

const patchCustom = changeRow(
  { name: "patch-custom", what: "merge patches of custom resources", kind: Order, manifest: order },
  (client, name, i) =>
    client.patch(Order, name, { type: "merge", body: { spec: { table: (i % 1000) + 1 } } }),
);
const applyCustom = changeRow(
  {
    name: "apply-custom",
    what: "applies to custom resources, one field of the applied eight changed",
    kind: Order,
    manifest: order,
  },
  (client, name, i) => {
    const { spec } = order(0);
    return client.apply(Order, Order(name, { ...spec, table: (i % 1000) + 1 }), { force: true });
  },
);
const patchConfigMap = changeRow(
  {
    name: "patch-configmap",
    what: "strategic merge patches of config maps",
    kind: configMaps,
    manifest: configMap,
  },
  (client, name, i) =>
    client.patch(configMaps, name, { type: "strategic", body: { data: { at: String(i) } } }),
);

const protobuf = { accept: protobufType, "content-type": protobufType };
const mapsPath = (namespace: string, name = ""): string =>
  `/api/v1/namespaces/${namespace}/configmaps${name && `/${name}`}`;

const createProtobuf: ServerRow = {
  at: "server",
  name: "create-configmap-protobuf",
  what: "create config maps of 1 KB, protobuf both ways",
  run: (place, { factor }) =>
    withClient(place, "create-pb", (client) =>
      measure(place, Math.round(2000 * factor), (i) =>
        client.request({
          method: "POST",
          path: mapsPath(client.namespace),
          headers: protobuf,
          body: configMapEnvelope(configMap(i).metadata.name, { text }),
        }),
      ),
    ),
};

const getProtobuf: ServerRow = {
  at: "server",
  name: "get-configmap-protobuf",
  what: "get config maps in protobuf",
  run: (place, { factor }) =>
    withClient(place, "get-pb", async (client) => {
      const names = await fill(client, configMaps, configMap, 200);
      return measure(place, Math.round(5000 * factor), (i) =>
        client.request({
          method: "GET",
          path: mapsPath(client.namespace, names[i % names.length]),
          headers: { accept: protobufType },
        }),
      );
    }),
};

const noteOf = (kind: Kind): { readonly note?: string } =>
  kind === configMaps ? { note: builtinNote } : {};

async function fill(
  client: Client,
  kind: Kind,
  manifest: (i: number) => object,
  count: number,
): Promise<string[]> {
  const names: string[] = [];
  await inLanes(count, 16, async (i) =>
    names.push((await client.create(kind, manifest(i))).metadata.name),
  );
  return names;
}

/** Lists 10,000 objects as bytes: measures the server, not the client's parser. */
function listRow(
  { name, what, kind, manifest }: Subject,
  path: (namespace: string) => string,
  accept = "application/json",
): ServerRow {
  return {
    at: "server",
    name,
    what,
    run: (place, { factor }) =>
      withClient(place, name, async (client) => {
        await fill(client, kind, manifest, Math.round(10_000 * factor));
        const cpu = cpuSeconds(place.pids);
        let bytes = 0;
        const samples = await inLanes(5, 1, async () => {
          bytes = (
            await client.request({
              method: "GET",
              path: path(client.namespace),
              headers: { accept },
            })
          ).body.length;
        });
        const used = cpuSeconds(place.pids);
        return {
          "p50 ms": median(samples),
          "MB per s": bytes / 1000 / median(samples),
          MB: bytes / 1e6,
          "server CPU ms":
            cpu === undefined || used === undefined ? undefined : ((used - cpu) * 1000) / 5,
        };
      }),
  };
}

const tableType = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** What every `kubectl get` asks for. */
const tableRows: readonly ServerRow[] = [
  listRow(
    {
      name: "table-custom",
      what: "list 10,000 custom resources as a Table",
      kind: Order,
      manifest: order,
    },
    (namespace) => `/apis/bench.example.com/v1/namespaces/${namespace}/orders`,
    tableType,
  ),
  listRow(
    {
      name: "table-configmap",
      what: "list 10,000 config maps as a Table",
      kind: configMaps,
      manifest: configMap,
    },
    mapsPath,
    tableType,
  ),
];

/** The rows of single requests and lists. */
export const requestRows: readonly ServerRow[] = [
  createRow("create-custom", "create custom resources of 1.4 KB", Order, order),
  createRow("create-configmap", "create config maps of 1 KB", configMaps, configMap),
  getRow("get-custom", "get custom resources", Order, order),
  getRow("get-configmap", "get config maps", configMaps, configMap),
  listRow(
    {
      name: "list-custom",
      what: "list 10,000 custom resources whole",
      kind: Order,
      manifest: order,
    },
    (namespace) => `/apis/bench.example.com/v1/namespaces/${namespace}/orders`,
  ),
  listRow(
    {
      name: "list-configmap",
      what: "list 10,000 config maps whole",
      kind: configMaps,
      manifest: configMap,
    },
    mapsPath,
  ),
  ...tableRows,
  createProtobuf,
  getProtobuf,
  listRow(
    {
      name: "list-configmap-protobuf",
      what: "list 10,000 config maps whole, in protobuf",
      kind: configMaps,
      manifest: configMap,
    },
    mapsPath,
    protobufType,
  ),
  patchCustom,
  patchConfigMap,
  applyCustom,
];
