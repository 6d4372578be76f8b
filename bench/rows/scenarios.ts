// Simulated worlds: what one run costs, how long a scenario of 20 writes sweeps, and the memory of
// many servers in one process.
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import { scenario } from "@homeostat/testing";
import { type Controller, defineController, defineResource } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { createSystemRuntime } from "homeostat/runtime";
import type { Figures, LibraryRow, Scale } from "./row.ts";

const Shelf = defineResource({
  group: "bench.example.com",
  version: "v1",
  kind: "Shelf",
  spec: z.object({ boxes: z.int() }),
  status: z.object({ boxes: z.int() }),
});

const shelves = (): readonly Controller[] => [
  defineController(Shelf, {
    owns: [ConfigMap],
    async reconcile({ object: { metadata, spec }, own, status }) {
      const names = Array.from({ length: spec.boxes }, (_, i) => `${metadata.name}-${i}`);
      await own(
        ConfigMap,
        names.map((name) => ConfigMap(name, { data: { shelf: metadata.name } })),
      );
      status({ boxes: names.length });
    },
  }),
];

/** 20 writes: ten boxes and two statuses are written, eight boxes are taken away. */
const filled = scenario(
  "shelf",
  { operator: "shelves", resources: [Shelf], controllers: shelves, controlPlane: "none" },
  async ({ client, converge }) => {
    await client.create(Shelf, Shelf("a", { boxes: 10 }));
    await converge();
    await client.patch(Shelf, "a", { type: "merge", body: { spec: { boxes: 2 } } });
  },
);

const nowMs = createSystemRuntime().clock.monotonic;

async function measureScenario({ factor }: Scale): Promise<Figures> {
  const { writes } = await filled.run();
  for (let i = 0; i < 20; i++) await filled.run();
  const runs = Math.max(5, Math.round(50 * factor));
  const before = process.cpuUsage();
  const began = nowMs();
  for (let i = 0; i < runs; i++) await filled.run();
  const { user, system } = process.cpuUsage(before);
  const ranMs = nowMs() - began;
  const sweptAt = nowMs();
  const swept = await filled.sweep();
  return {
    writes: writes.length,
    "runs per s": (runs * 1000) / ranMs,
    "CPU ms a run": (user + system) / 1000 / runs,
    "sweep: runs": swept.runs,
    "sweep s": (nowMs() - sweptAt) / 1000,
  };
}

async function measureServers({ factor }: Scale): Promise<Figures> {
  const count = Math.max(10, Math.round(1000 * factor));
  const used = (): number => {
    (globalThis as { gc?: () => void }).gc?.();
    return process.memoryUsage().rss / 1e6;
  };
  await (await startApiServer({ listen: false })).close();
  const before = used();
  const servers: ApiServer[] = [];
  for (let i = 0; i < count; i++) servers.push(await startApiServer({ listen: false }));
  const each = (used() - before) / count;
  await Promise.all(servers.map((server) => server.close()));
  return { servers: count, "MB each": each };
}

/** Runs of a scenario. */
export const scenarioRow: LibraryRow = {
  at: "library",
  name: "scenarios",
  what: "an operator with 20 writes in simulated worlds: runs, and a whole sweep",
  contenders: [{ name: "homeostat", run: measureScenario }],
};

/** Servers in one process. */
export const manyServersRow: LibraryRow = {
  at: "library",
  name: "many-servers",
  what: "servers with default controllers that live in one process at the same time",
  contenders: [{ name: "homeostat", run: measureServers }],
};
