// The runtime at work on a server: 10,000 orders from created to reconciled, the time from a write to its reconcile, and
// the memory that a cached object costs.
import { createManager, silentLog } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { cpuSeconds } from "../measure/process-usage.ts";
import { percentile } from "../measure/statistics.ts";
import { cooks, order, Order } from "./objects.ts";
import type { Figures, ServerRow } from "./row.ts";
import { inLanes, withClient } from "./with-client.ts";

/** Creates orders while the controller runs, and waits until every one is Ready on the server. */
export const floodRow: ServerRow = {
  at: "server",
  name: "flood",
  what: "10,000 orders created to all reconciled, 10 workers, one status apply each",
  run: (place, { factor }) =>
    withClient(place, "flood", async (client): Promise<Figures> => {
      const count = Math.round(10_000 * factor);
      const seen = new Set<string>();
      const manager = createManager({ operator: "bench", controllers: [cooks((name) => seen.add(name))], client, namespace: client.namespace, log: silentLog });
      await manager.start();
      const cpu = cpuSeconds(place.pids);
      const own = process.cpuUsage();
      const start = performance.now();
      await inLanes(count, 16, (i) => client.create(Order, order(i)));
      const created = performance.now();
      while (seen.size < count || !manager.isIdle()) await pause(5);
      const seconds = (performance.now() - start) / 1000;
      const used = cpuSeconds(place.pids);
      const spent = process.cpuUsage(own);
      const ready = (await client.list(Order, { namespace: client.namespace })).items.filter((one) => one.status.conditions?.some((condition) => condition.status === "True")).length;
      await manager.stop();
      if (ready !== count) throw new Error(`${ready} of ${count} orders are Ready`);
      return { "objects per s": count / seconds, "creating s": (created - start) / 1000, "controller CPU µs": (spent.user + spent.system) / count, "server CPU µs": cpu === undefined || used === undefined ? undefined : ((used - cpu) * 1e6) / count };
    }),
};

/** Writes at a steady rate and measures until reconcile is entered. */
export const latencyRow: ServerRow = {
  at: "server",
  name: "write-to-reconcile",
  what: "an accepted write to the start of its reconcile, 200 writes a second",
  run: (place, { factor }) =>
    withClient(place, "latency", async (client): Promise<Figures> => {
      const accepted = new Map<string, number>();
      const entered = new Map<string, number>();
      const manager = createManager({ operator: "bench", controllers: [cooks((name) => void (entered.has(name) || entered.set(name, performance.now())))], client, namespace: client.namespace, log: silentLog });
      await manager.start();
      const count = Math.round(1000 * factor);
      for (let i = 0; i < count; i++) {
        const { metadata } = order(i);
        void client.create(Order, order(i)).then(() => accepted.set(metadata.name, performance.now()));
        await pause(5);
      }
      while (entered.size < count || accepted.size < count) await pause(5);
      await manager.stop();
      const samples = [...entered].map(([name, at]) => Math.max(0, at - accepted.get(name)!));
      return { "p50 ms": percentile(samples, 0.5), "p99 ms": percentile(samples, 0.99) };
    }),
};

/** Heap and external memory of a cache that holds 10,000 orders, per object. */
export const cacheRow: ServerRow = {
  at: "server",
  name: "cache-memory",
  what: "bytes of heap and buffers per cached order of 1.4 KB (stored: 2 KB with managedFields)",
  run: (place, { factor }) =>
    withClient(place, "cache", async (client): Promise<Figures> => {
      const count = Math.round(10_000 * factor);
      await inLanes(count, 16, (i) => client.create(Order, order(i)));
      const reader = createClient({ access: await loadKubeconfig({ path: place.kubeconfigPath }) });
      const before = memory();
      const manager = createManager({ operator: "bench", controllers: [cooks()].map((controller) => ({ ...controller, concurrency: 0 }) as never), client: reader, namespace: client.namespace, log: silentLog });
      const start = performance.now();
      await manager.start();
      const seconds = (performance.now() - start) / 1000;
      const after = memory();
      await manager.stop();
      await reader.close();
      return { "bytes per object": before === undefined || after === undefined ? undefined : (after - before) / count, "first list s": seconds };
    }),
};

/** Settled memory; needs --expose-gc. */
function memory(): number | undefined {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (!collect) return undefined;
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
