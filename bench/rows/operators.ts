// Operators on objects that stand already: the flood at start, the first list, the memory of the
// cache, and a storm of updates. All write the same status; the end state is compared.
import type { Client } from "homeostat/client";
import { cpuSeconds, peakMegabytes, perUnit } from "../measure/process-usage.ts";
import type { RunningOperator } from "../peers/operator-peer.ts";
import { order, Order } from "./objects.ts";
import type { Figures, OperatorRow } from "./row.ts";
import { inLanes, withClient } from "./with-client.ts";

const workers = 10;
const namespace = "bench-operators";

/** 10,000 objects stand; the operator starts and writes one status each. */
export const standingFloodRow: OperatorRow = flood("standing-flood", 10_000);

/** The same at other sizes: what an object costs must not depend on their number. */
export const growthRows: readonly OperatorRow[] = [
  flood("growth-n", 500),
  flood("growth-10n", 5000),
  flood("growth-100n", 50_000),
];

function flood(name: string, objects: number): OperatorRow {
  return {
    at: "operator",
    name,
    what: `${objects} objects of 2.2 kB stand; from the start of the process until each has its status, ${workers} workers`,
    run: (peer, place, { factor }) =>
      withClient(place, "operators", async (client): Promise<Figures> => {
        const count = Math.round(objects * factor);
        await createOrders(client, count);
        const operator = peer.start(place, { namespace, workers, count });
        try {
          const first = await operator.said("first");
          const atFirst = cpuSeconds([operator.pid]);
          const done = await operator.said("done");
          await settled(operator);
          await assertReady(client, count);
          const all = cpuSeconds([operator.pid]);
          return {
            "CPU µs per object": perUnit(all, atFirst, count),
            "objects per s": count / ((done - first) / 1000),
            "peak MB": peakMegabytes([operator.pid]),
            "CPU µs per object with start": perUnit(all, 0, count),
          };
        } finally {
          await operator.stop();
        }
      }),
  };
}

/** The first list of a controller that has nothing to do yet. */
export const syncRow: OperatorRow = {
  at: "operator",
  name: "operator-sync",
  what: "50,000 objects stand; from the start of the process until its cache has synced, no workers",
  run: (peer, place, { factor }) =>
    withClient(place, "operators", async (client): Promise<Figures> => {
      const none = await heapAfterSync(peer.start(place, { namespace, workers: 0, count: 0 }));
      const count = Math.round(50_000 * factor);
      await createOrders(client, count);
      const all = await heapAfterSync(peer.start(place, { namespace, workers: 0, count: 0 }));
      return {
        "synced ms": all.ms,
        "CPU µs per object": perUnit(all.cpu, none.cpu ?? 0, count),
        "peak MB": all.peak,
        "heap bytes per object": (all.heap - none.heap) / count,
      };
    }),
};

async function heapAfterSync(operator: RunningOperator) {
  try {
    const ms = await operator.said("synced");
    const usage = { cpu: cpuSeconds([operator.pid]), peak: peakMegabytes([operator.pid]) };
    return { ms, ...usage, heap: await operator.heapBytes() };
  } finally {
    await operator.stop();
  }
}

/** Changes that give a controller nothing to do: each is delivered, reconciled, and not written. */
export const stormRow: OperatorRow = {
  at: "operator",
  name: "update-storm",
  what: "2,000 objects at rest are labelled ten times each by another client: what each change costs the controller",
  run: (peer, place, { factor }) =>
    withClient(place, "operators", async (client): Promise<Figures> => {
      const count = Math.round(2000 * factor);
      await createOrders(client, count);
      const operator = peer.start(place, { namespace, workers, count });
      try {
        await operator.said("done");
        await settled(operator);
        const before = cpuSeconds([operator.pid]);
        await inLanes(count * 10, 16, (i) =>
          client.patch(Order, order(i % count).metadata.name, {
            type: "merge",
            body: { metadata: { labels: { round: String(Math.floor(i / count)) } } },
          }),
        );
        await settled(operator);
        return {
          "CPU µs per change": perUnit(cpuSeconds([operator.pid]), before, count * 10),
          "peak MB": peakMegabytes([operator.pid]),
        };
      } finally {
        await operator.stop();
      }
    }),
};

/** The time of a restart. */
export const coldStartRow: OperatorRow = {
  at: "operator",
  name: "operator-start",
  what: "100 objects stand; from the start of the process to its first reconcile",
  note: "the second start of each, so that files are in memory and Node has its compile cache; CPU counts in ticks of 10 ms",
  run: (peer, place) =>
    withClient(place, "operators", async (client): Promise<Figures> => {
      await createOrders(client, 100);
      let figures: Figures = {};
      for (let start = 0; start < 2; start++) {
        const operator = peer.start(place, { namespace, workers, count: 100 });
        const ms = await operator.said("first");
        figures = {
          "first reconcile ms": ms,
          "CPU ms": (cpuSeconds([operator.pid]) ?? Number.NaN) * 1000,
        };
        await operator.said("synced");
        await operator.stop();
      }
      return figures;
    }),
};

async function createOrders(client: Client, count: number): Promise<void> {
  await inLanes(count, 16, (i) => client.create(Order, order(i)));
}

async function assertReady(client: Client, count: number): Promise<void> {
  const { items } = await client.list(Order, { namespace });
  const ready = items.filter(
    ({ status }) =>
      status.cooked === 3 && status.conditions?.some((condition) => condition.status === "True"),
  ).length;
  if (ready !== count) throw new Error(`expected ${count} orders to be Ready, ${ready} are`);
}

/** Waits until the process has not used CPU for half a second. */
async function settled({ pid }: RunningOperator): Promise<void> {
  for (let quiet = 0, used = cpuSeconds([pid]); quiet < 5; quiet++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = cpuSeconds([pid]);
    if (now !== used) quiet = -1;
    used = now;
  }
}
