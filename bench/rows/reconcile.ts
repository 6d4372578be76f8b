// The runtime on a server: 10,000 orders from creation to reconcile, the time from a write to its
// reconcile, and the memory per cached object. The operator runs in a separate process; this
// process creates the load.
import { cpuSeconds, peakMegabytes, perUnit } from "../measure/process-usage.ts";
import { percentile } from "../measure/statistics.ts";
import { order, Order } from "./objects.ts";
import type { Figures, ServerRow } from "./row.ts";
import { startOperator } from "./start-operator.ts";
import { inLanes, withClient } from "./with-client.ts";

const workers = 10;

/** Creates orders while the controller runs, and waits until every one is Ready on the server. */
export const floodRow: ServerRow = {
  at: "server",
  name: "flood",
  what: "10,000 orders created to all reconciled: 16 lanes of creates, 10 workers, one status apply each",
  run: (place, { factor }) =>
    withClient(place, "flood", async (client): Promise<Figures> => {
      const count = Math.round(10_000 * factor);
      const operator = await startOperator(place, client, { workers });
      const cpu = [cpuSeconds(place.pids), cpuSeconds([operator.pid])];
      const start = performance.now();
      await inLanes(count, 16, (i) => client.create(Order, order(i)));
      const created = performance.now();
      for (
        let now = await operator.ask("progress");
        now.reconciled < count || !now.idle;
        now = await operator.ask("progress")
      )
        await pause(20);
      const seconds = (performance.now() - start) / 1000;
      const used = [cpuSeconds(place.pids), cpuSeconds([operator.pid])].map((after, i) =>
        perUnit(after, cpu[i], count),
      );
      const peak = peakMegabytes([operator.pid]);
      const ready = (await client.list(Order, { namespace: client.namespace })).items.filter(
        (one) => one.status.conditions?.some((condition) => condition.status === "True"),
      ).length;
      await operator.stop();
      if (ready !== count)
        throw new Error(
          `flood: expected ${count} orders to be Ready, ${ready} are; the controller lost some`,
        );
      return {
        "objects per s": count / seconds,
        "creating s": (created - start) / 1000,
        "controller CPU µs": used[1],
        "controller peak MB": peak,
        "server CPU µs": used[0],
      };
    }),
};

/** Writes at a steady rate and measures until reconcile is entered. */
export const latencyRow: ServerRow = {
  at: "server",
  name: "write-to-reconcile",
  what: "200 creates a second: from sending one, and from its answer, to the start of its reconcile in the operator's process",
  run: (place, { factor }) =>
    withClient(place, "latency", async (client): Promise<Figures> => {
      const sent = new Map<string, number>();
      const answered = new Map<string, number>();
      const operator = await startOperator(place, client, { workers });
      const count = Math.round(1000 * factor);
      for (let i = 0; i < count; i++) {
        const manifest = order(i);
        sent.set(manifest.metadata.name, now());
        void client.create(Order, manifest).then(() => answered.set(manifest.metadata.name, now()));
        await pause(5);
      }
      while (answered.size < count || (await operator.ask("progress")).reconciled < count)
        await pause(20);
      const entered = await operator.ask("entered");
      await operator.stop();
      const fromSending = entered.map(([name, at]) => at - sent.get(name)!);
      const fromAnswer = entered.map(([name, at]) => Math.max(0, at - answered.get(name)!));
      return {
        "sent, p50 ms": percentile(fromSending, 0.5),
        "sent, p99 ms": percentile(fromSending, 0.99),
        "answered, p50 ms": percentile(fromAnswer, 0.5),
        "answered, p99 ms": percentile(fromAnswer, 0.99),
      };
    }),
};

/** Heap and external memory of a cache that holds 10,000 orders, per object. */
export const cacheRow: ServerRow = {
  at: "server",
  name: "cache-memory",
  what: "heap and buffers per cached order of 1.4 KB (stored: 2 KB with managedFields), none of them read yet",
  run: (place, { factor }) =>
    withClient(place, "cache", async (client): Promise<Figures> => {
      const count = Math.round(10_000 * factor);
      await inLanes(count, 16, (i) => client.create(Order, order(i)));
      const operator = await startOperator(place, client, { workers: 0 });
      const { heldBytes, syncMs } = await operator.ask("memory");
      await operator.stop();
      return { "bytes per object": heldBytes / count, "first list ms": syncMs };
    }),
};

/** Milliseconds of the system's monotonic clock, which all processes share. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
