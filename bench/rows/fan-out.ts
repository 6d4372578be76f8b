// Watch fan-out: writes seen by 1 to 1000 watchers. The server's CPU for a delivery at a steady
// pace, without the share of the write, and how fast a burst is delivered.
import type { Client } from "homeostat/client";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds, perUnit } from "../measure/process-usage.ts";
import type { Place } from "../places/place.ts";
import { order, Order } from "./objects.ts";
import type { Figures, ServerRow } from "./row.ts";
import { orders } from "./subject.ts";
import { openSeparately, openShared, type OpenWatches, type Watches } from "./watch-streams.ts";
import { inLanes, withClient } from "./with-client.ts";

const pacedWrites = 200;
const writesPerSecond = 20;
const burst = 500;

interface FanOut {
  readonly name: string;
  readonly watchers: number;
  readonly over: string;
  readonly open: OpenWatches;
}

function fanOutRow({ name, watchers, over, open }: FanOut): ServerRow {
  return {
    at: "server",
    name,
    what: `${pacedWrites} paced creates and a burst of ${burst}, seen by ${watchers} watchers${over}`,
    note: "CPU per delivery; added: of paced creates with watchers, less the same creates without; the burst includes the write's share, and upstream may end watches that fall behind in it",
    run: (place, { factor }) =>
      withClient(place, name, async (client): Promise<Figures> => {
        const paced = Math.round(pacedWrites * factor);
        // The first create waits until the definition is established; upstream may close watches
        // that were opened before.
        await writePaced(client, place, { first: 0, count: Math.min(paced, 50) });
        const without = await writePaced(client, place, { first: 1000, count: paced });
        const { resourceVersion } = await client.list(Order, { namespace: client.namespace });
        const path = `${orders.path(client.namespace)}?watch=true&resourceVersion=${resourceVersion}`;
        const watches = await open({ place, client, path, watchers });
        const seen = { first: 2000, count: paced, watches, watchers };
        const added = (await writePaced(client, place, seen)) - without;
        const fast = await writeBurst(client, place, {
          ...seen,
          first: 3000,
          count: Math.round(burst * factor),
        });
        watches.close();
        return { "server CPU µs added": (added * 1e6) / (paced * watchers), ...fast };
      }),
  };
}

interface Writes {
  readonly first: number;
  readonly count: number;
  readonly watches?: Watches;
  readonly watchers?: number;
}

/** The server's CPU seconds, until all is delivered; NaN where the system does not tell. */
async function writePaced(
  client: Client,
  place: Place,
  { first, count, watches, watchers = 0 }: Writes,
): Promise<number> {
  const cpu = cpuSeconds(place.pids);
  const start = performance.now();
  for (let i = 0; i < count; i++) {
    await client.create(Order, order(first + i));
    await sleep(Math.max(0, start + ((i + 1) * 1000) / writesPerSecond - performance.now()));
  }
  if (watches && !(await watches.delivered(count * watchers)))
    throw new Error("a watch ended while writes were paced");
  const used = cpuSeconds(place.pids);
  return cpu === undefined || used === undefined ? Number.NaN : used - cpu;
}

/** Figures of a burst in eight lanes; none if a server has ended watches that fell behind. */
async function writeBurst(
  client: Client,
  place: Place,
  { first, count, watches, watchers }: Required<Writes>,
): Promise<Figures> {
  const deliveries = count * watchers;
  const cpu = cpuSeconds(place.pids);
  const start = performance.now();
  await inLanes(count, 8, (i) => client.create(Order, order(first + i)));
  const written = performance.now();
  if (!(await watches.delivered(deliveries))) return {};
  const end = performance.now();
  const used = cpuSeconds(place.pids);
  return {
    "deliveries per s": (deliveries * 1000) / (end - start),
    "tail ms": end - written,
    "server CPU µs, burst": perUnit(used, cpu, deliveries),
  };
}

const separate = (watchers: number): ServerRow =>
  fanOutRow({ name: `fan-out-${watchers}`, watchers, over: "", open: openSeparately });

const shared = (watchers: number): ServerRow =>
  fanOutRow({
    name: `fan-out-${watchers}-http2`,
    watchers,
    over: ", a hundred on each HTTP/2 connection",
    open: openShared,
  });

/** The rows of fan-out. */
export const fanOutRows: readonly ServerRow[] = [
  separate(1),
  separate(100),
  separate(1000),
  shared(100),
  shared(1000),
];
