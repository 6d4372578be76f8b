// Starts several servers in this process and prints the cost of the first and of a further one.
import { startApiServer } from "@homeostat/apiserver";
import { createClient } from "homeostat/client";
import { settledMemory } from "../measure/process-usage.ts";
import { median } from "../measure/statistics.ts";
import { configMaps } from "./with-client.ts";

type Running = Awaited<ReturnType<typeof startApiServer>>;

async function startOne(): Promise<{ readonly server: Running; readonly ms: number }> {
  const start = performance.now();
  const server = await startApiServer();
  const client = createClient({ transport: server.transport(), namespace: "default" });
  await client.list(configMaps);
  const ms = performance.now() - start;
  await client.close();
  return { server, ms };
}

const first = await startOne();
const before = settledMemory();
const more = [];
for (let i = 0; i < 10; i++) more.push(await startOne());
const held = (settledMemory() - before) / more.length;
for (const { server } of [first, ...more]) await server.close();
process.stdout.write(
  JSON.stringify({
    "first ms": first.ms,
    "second ms": more[0]!.ms,
    "each further ms": median(more.map(({ ms }) => ms)),
    "MB each": held / 1e6,
  }),
);
