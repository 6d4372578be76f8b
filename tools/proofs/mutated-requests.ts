// Proof: no request breaks the server. Mutated requests, generated from a seed, go to a server in
// this process and to one over HTTPS, from an administrator and from a user who may do little, by
// turns, past roles, policies, limits and webhooks that misbehave. Every request gets a response in
// time and no internal error; there is no unhandled rejection, the event loop is never blocked,
// memory does not grow, no watch or socket leaks, what the limited user may not write stays as it
// is, and the server still works afterwards.
// Usage: `node tools/run.mjs tools/proofs/mutated-requests.ts [REQUESTS] [SEEDS] [FIRST SEED]
// [in-process|https]`
import assert from "node:assert/strict";
import { queryObjects, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startApiServer } from "../../packages/apiserver/src/index.ts";
import { WatchRun } from "../../packages/apiserver/src/registry/watch/watch-run.ts";
import type { Transport } from "../../packages/homeostat/src/api/transport.ts";
import { loadKubeconfig } from "../../packages/homeostat/src/client/index.ts";
import { createUndiciTransport } from "../../packages/homeostat/src/client/undici-transport.ts";
import { createChance } from "../../test/fixtures/mutated-requests/chance.ts";
import {
  createHostileHooks,
  forbiddenState,
  guardService,
  limitedUser,
  placeGuards,
  removeGuards,
} from "../../test/fixtures/mutated-requests/guards.ts";
import { ask, gatherMaterial, storm } from "../../test/fixtures/mutated-requests/storm.ts";
import { withToken } from "./with-token.ts";

const [total = 12_000, seeds = 4, first = 1] = process.argv.slice(2, 5).map(Number);
const wires = process.argv[5] === undefined ? ["in-process", "https"] : [process.argv[5]];
/** A wire is slower, and checks the same core; it gets this share. */
const overWire = 0.1;
const mayGrowBytes = 30 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heldBytes(): number {
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Sockets and listeners of this process. */
const handles = (): number =>
  process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length;
const openWatches = (): number => queryObjects(WatchRun, { format: "count" });

/**
 * undici takes CONNECT as the wish for a tunnel, and waits for one; http/odd-heads.test.ts sends it
 * by hand.
 */
const cannotSend = ({ method }: { readonly method: string }): boolean => method === "CONNECT";
const limitedToken = "limited";
const warnings: string[] = [];
const server = await startApiServer({
  listen: wires.includes("https"),
  controllers: "none",
  keepChanges: 500,
  tokens: new Map([[limitedToken, limitedUser]]),
  serviceLocations: new Map([[guardService, createHostileHooks(createChance(first!))]]),
  warn: (message) => warnings.push(message),
});
const findings: string[] = [];
const handlesBefore = handles();
let before: number | undefined;
for (const wire of wires) {
  const transport = wire === "https" ? await wireTo(server.token) : server.transport();
  const limited = wire === "https" ? await wireTo(limitedToken) : server.transport(limitedUser);
  const material = await gatherMaterial(transport);
  const requests = Math.ceil(
    (total / seeds) * (wire === "https" && wires.length > 1 ? overWire : 1),
  );
  for (let seed = first; seed < first + seeds; seed++) {
    const isLimited = seed % 2 === 0;
    await placeGuards(transport);
    const forbidden = isLimited ? await forbiddenState(transport) : "";
    const result = await storm(isLimited ? limited : transport, material, {
      seed,
      requests,
      ...(wire === "https" ? { mayRefuse, cannotSend } : {}),
    });
    const found = [...result.findings];
    if (isLimited && (await forbiddenState(transport)) !== forbidden)
      found.push(`seed ${seed}: the limited user has written what it may not`);
    for (const finding of found) console.log(finding);
    findings.push(...found);
    before ??= heldBytes();
    const grown = (heldBytes() - before) / 2 ** 20;
    console.log(
      `${wire}, seed ${seed}${isLimited ? " (limited user)" : ""}: ${requests} requests, ${JSON.stringify(result.statuses)}, slowest ${Math.round(result.slowestMs)} ms, most work ${Math.round(result.workMs)} ms, held memory ${grown.toFixed(1)} MiB more, ${openWatches()} watches, ${handles()} handles`,
    );
  }
  await removeGuards(transport);
  await ordinary(transport);
  await limited.close();
  await transport.close();
}
await eventually(() => handles() <= handlesBefore && openWatches() === 0);
assert.equal(findings.length, 0, `${findings.length} findings`);
assert.deepEqual(warnings, []);
assert.equal(openWatches(), 0, "watches without a reader");
assert.ok(
  handles() <= handlesBefore,
  `${handles()} handles, ${handlesBefore} before: ${process.getActiveResourcesInfo().join(", ")}`,
);
assert.ok(heldBytes() - before! < mayGrowBytes, "memory stays");
await server.close();

/** Sockets are closed a moment after the client has let them go. */
async function eventually(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 50 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** What a client does every day still works. */
async function ordinary(transport: Transport): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = new TextEncoder().encode(
    JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { generateName: "after-" } }),
  );
  assert.equal(
    (await ask(transport, { method: "POST", path: "/api/v1/namespaces", headers, body })).status,
    201,
  );
  for (const path of ["/api/v1/namespaces?limit=5", "/apis", "/openapi/v3", "/readyz"])
    assert.equal((await ask(transport, { method: "GET", path, headers: {} })).status, 200, path);
}

/**
 * A client's own library refuses what cannot stand in a head, and what the server's HTTP parser has
 * answered for itself is no finding.
 */
function mayRefuse(error: Error): boolean {
  const cause = error.cause instanceof Error ? error.cause : error;
  return (
    "code" in cause &&
    typeof cause.code === "string" &&
    (cause.code.startsWith("UND_ERR_INVALID") ||
      cause.code === "UND_ERR_NOT_SUPPORTED" ||
      cause.code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH")
  );
}

async function wireTo(token: string): Promise<Transport> {
  const { server: url, tls } = await loadKubeconfig({ text: server.kubeconfig });
  return withToken(createUndiciTransport({ server: url, tls }), token);
}
