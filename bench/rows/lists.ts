// Lists of 10,000 objects: whole, by pages, as Tables, in JSON and protobuf. As bytes: the server
// is measured, not the client's parser.
import type { Client } from "homeostat/client";
import { cpuSeconds, perUnit } from "../measure/process-usage.ts";
import { median } from "../measure/statistics.ts";
import { protobufType } from "./config-map-envelope.ts";
import type { ServerRow } from "./row.ts";
import { fill, maps, orders, type Subject } from "./subject.ts";
import { inLanes, withClient } from "./with-client.ts";

/** What every `kubectl get` asks for. */
const tableType = "application/json;as=Table;v=v1;g=meta.k8s.io";
/** `kubectl get --chunk-size`, by default. */
const pageSize = 500;
const rounds = 10;

interface Listing {
  readonly name: string;
  readonly what: string;
  readonly subject: Subject;
  readonly accept?: string;
  /** Default: all at once. */
  readonly pageSize?: number;
}

function listRow({
  name,
  what,
  subject,
  accept = "application/json",
  pageSize,
}: Listing): ServerRow {
  return {
    at: "server",
    name,
    what: `list 10,000 ${what}`,
    run: (place, { factor }) =>
      withClient(place, name, async (client) => {
        await fill(client, subject, Math.round(10_000 * factor));
        const path = subject.path(client.namespace);
        const list = (): Promise<number> => listAll(client, { path, accept, pageSize });
        const bytes = await list();
        const cpu = cpuSeconds(place.pids);
        const samples = await inLanes(rounds, 1, list);
        const used = cpuSeconds(place.pids);
        const p50 = median(samples);
        return {
          "p50 ms": p50,
          "MB per s": bytes / 1000 / p50,
          MB: bytes / 1e6,
          "server CPU ms": perUnit(used, cpu, rounds * 1000),
        };
      }),
  };
}

/** Resolves to the number of bytes. */
async function listAll(
  client: Client,
  { path, accept, pageSize }: { path: string; accept: string; pageSize: number | undefined },
): Promise<number> {
  const headers = { accept };
  let bytes = 0;
  let token = "";
  do {
    const query = pageSize ? `?limit=${pageSize}${token && `&continue=${token}`}` : "";
    const { body } = await client.request({ method: "GET", path: path + query, headers });
    bytes += body.length;
    token = pageSize ? continueOf(body) : "";
  } while (token);
  return bytes;
}

/** The token of the next page: it stands before the items, or behind them in a map's order. */
function continueOf(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const at = Math.max(bytes.lastIndexOf('"continue":"'), 0);
  return /^"continue":"([^"]+)"/.exec(bytes.toString("latin1", at, at + 2000))?.[1] ?? "";
}

/** The rows of lists. */
export const listRows: readonly ServerRow[] = [
  listRow({ name: "list-custom", what: "custom resources whole", subject: orders }),
  listRow({ name: "list-configmap", what: "config maps whole", subject: maps }),
  listRow({
    name: "pages-custom",
    what: "custom resources by pages of 500",
    subject: orders,
    pageSize,
  }),
  listRow({
    name: "pages-configmap",
    what: "config maps by pages of 500",
    subject: maps,
    pageSize,
  }),
  listRow({
    name: "table-custom",
    what: "custom resources as a Table",
    subject: orders,
    accept: tableType,
  }),
  listRow({
    name: "table-configmap",
    what: "config maps as a Table",
    subject: maps,
    accept: tableType,
  }),
  listRow({
    name: "list-configmap-protobuf",
    what: "config maps whole, in protobuf",
    subject: maps,
    accept: protobufType,
  }),
];
