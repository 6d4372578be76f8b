// Proof: no bytes on a connection crash, block or leak in the server. Attacks on TLS, HTTP/1.1 and
// HTTP/2 (attacks.ts) run concurrently, beside two hundred slow clients; ordinary requests are
// still answered, and afterwards sockets, timers and memory are back near their level.
// Usage: `node tools/run.mjs tools/proofs/hostile-wire/hostile-wire.ts [ATTACKS] [SEED]`
import assert from "node:assert/strict";
import { connect } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startApiServer } from "../../../packages/apiserver/src/index.ts";
import type { Transport } from "../../../packages/homeostat/src/api/transport.ts";
import { loadKubeconfig } from "../../../packages/homeostat/src/client/index.ts";
import { createUndiciTransport } from "../../../packages/homeostat/src/client/undici-transport.ts";
import { createChance } from "../../../test/fixtures/mutated-requests/chance.ts";
import { ask } from "../../../test/fixtures/mutated-requests/storm.ts";
import { withToken } from "../with-token.ts";
import { attacks, type Victim } from "./attacks.ts";

const [total = 2000, seed = 1] = process.argv.slice(2).map(Number);
const atOnce = 20;
const slowClients = 200;
const mayGrowBytes = 20 * 2 ** 20;
/** Other programs of a busy machine take the processor too. */
const answeredWithinMs = 5_000;
/**
 * Of two thousand attacks a few leave a socket behind: Node does not notice that the other side is
 * gone where an HTTP/2 session broke down in the middle of a flood. They go with the server. More
 * than a few would be a leak of ours.
 */
const mayStay = 12;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const failures: string[] = [];
const uncaught = (error: Error): void => void failures.push(`uncaught: ${error.stack}`);
const unhandled = (error: unknown): void => void failures.push(`unhandled: ${String(error)}`);
process.on("uncaughtException", uncaught);
process.on("unhandledRejection", unhandled);

const warnings: string[] = [];
const server = await startApiServer({
  controllers: "none",
  keepChanges: 500,
  warn: (message) => warnings.push(message),
});
const victim: Victim = { port: server.port, token: server.token };
const transport = await connectClient();
let slowestMs = 0;

await attackWith(Math.min(500, total), seed + 1000);
const before = await held();
const counts = await attackWith(total, seed);
await slowly();
const after = await held();
console.log(
  `${total} attacks ${JSON.stringify(counts)} and ${slowClients} slow clients: an ordinary request took ${Math.round(slowestMs)} ms at most`,
);
console.log(
  `held before and after: ${before.handles} and ${after.handles} handles, ${(before.bytes / 2 ** 20).toFixed(1)} and ${(after.bytes / 2 ** 20).toFixed(1)} MiB`,
);
process.off("uncaughtException", uncaught);
process.off("unhandledRejection", unhandled);
for (const failure of failures) console.log(failure);
assert.deepEqual([failures.length, warnings], [0, []]);
assert.ok(
  after.handles <= before.handles + mayStay,
  `handles: ${process.getActiveResourcesInfo().join(", ")}`,
);
assert.ok(after.bytes - before.bytes < mayGrowBytes, "memory stays");
assert.ok(slowestMs < answeredWithinMs, "others are served");
await transport.close();
await server.close();

/** Attacks from `atOnce` sides, and asks for something ordinary now and then. */
async function attackWith(number: number, from: number): Promise<Readonly<Record<string, number>>> {
  const chance = createChance(from);
  const counts: Record<string, number> = {};
  let left = number;
  const side = async (): Promise<void> => {
    while (left-- > 0) {
      const name = chance.pick(Object.keys(attacks));
      counts[name] = (counts[name] ?? 0) + 1;
      await attacks[name]!(victim, chance);
      if (left % 50 === 0) await ordinary();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, side));
  return counts;
}

/** Clients that never finish what they say. */
async function slowly(): Promise<void> {
  const text = `GET /api HTTP/1.1\r\nHost: x\r\nx: ${"y".repeat(100)}`;
  const sockets = Array.from({ length: slowClients }, () =>
    connect({
      port: victim.port,
      host: "127.0.0.1",
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
    }).on("error", () => {}),
  );
  for (let i = 0; i < 10; i++) {
    for (const socket of sockets) socket.write(text[i]!);
    await ordinary();
    await pause(50);
  }
  for (const socket of sockets) socket.destroy();
}

async function ordinary(): Promise<void> {
  const started = performance.now();
  const { status } = await ask(transport, {
    method: "GET",
    path: "/api/v1/namespaces/default",
    headers: { accept: "application/json" },
  });
  assert.equal(status, 200);
  slowestMs = Math.max(slowestMs, performance.now() - started);
}

/** Handles and bytes that remain after all clients have disconnected. */
async function held(): Promise<{ readonly handles: number; readonly bytes: number }> {
  let handles = Infinity;
  for (let quiet = 0; quiet < 10;) {
    await pause(50);
    const now = process.getActiveResourcesInfo().length;
    quiet = now < handles ? 0 : quiet + 1;
    handles = Math.min(handles, now);
  }
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return { handles, bytes: heapUsed + external };
}

async function connectClient(): Promise<Transport> {
  const { server: url, tls } = await loadKubeconfig({ text: server.kubeconfig });
  return withToken(createUndiciTransport({ server: url, tls, connections: 1 }), server.token);
}
