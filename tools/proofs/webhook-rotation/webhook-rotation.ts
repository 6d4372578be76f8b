// Proof: no admission review fails while authorities and serving certificates are replaced. Dry
// runs of creations ask all webhooks of a kind at once; meanwhile the certificates come due and
// expire, authority and leaf together included, by a clock of the manager that jumps. By the clock
// of the API server none expires.
// Usage: `node tools/run.mjs tools/proofs/webhook-rotation/webhook-rotation.ts [--reference]
// [REVIEWS [ROTATIONS]]`; with --reference on the real kube-apiserver (tools/reference).
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { startApiServer } from "@homeostat/apiserver";
import { createManager, defineController, installDefinitions, type ReconcileLog } from "homeostat";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import { ConfigMap, Secret } from "homeostat/k8s/core/v1";
import { createSystemRuntime, type Runtime } from "homeostat/runtime";
import { freePort } from "../../../test/fixtures/free-port.ts";
import { openReference } from "../end-with-proof.ts";
import { createHooks, Errand, errand } from "./errands.ts";

const flags = process.argv.slice(2);
const isReference = flags.includes("--reference");
const [wanted = 4000, rotations = 3] = flags.filter((flag) => /^\d+$/.test(flag)).map(Number);

/**
 * Webhooks that are asked for each creation, and creations at a time: kube-apiserver keeps 25
 * connections to a host, and opens another for each further review at the same time.
 */
const [hooks, creators] = [8, 3];
/** The authority is due after two thirds. */
const [authoritySeconds, leafSeconds, overlapSeconds] = [60, 45, 1];

const counts = { reviews: 0, creations: 0, failed: 0, authorities: 0, leaves: 0 };
const failures = new Set<string>();

const server = await openServer();
const client = createClient({ ...server.where, fieldManager: "proof" });
try {
  await prove(client);
} finally {
  await client.close();
  await server.close();
}

interface Opened {
  readonly where: Parameters<typeof createClient>[0];
  close(): Promise<void>;
}

async function openServer(): Promise<Opened> {
  if (isReference) {
    const reference = await openReference();
    const access = await loadKubeconfig({ path: reference.kubeconfigPath });
    return { where: { access }, close: () => reference.stop() };
  }
  const embedded = await startApiServer({ listen: false, controllers: "none" });
  return { where: { transport: embedded.transport() }, close: () => embedded.close() };
}

async function prove(client: Client): Promise<void> {
  await installDefinitions(client, [Errand]);
  const clock = createJumpingClock();
  const manager = createManager({
    operator: "proof",
    controllers: [defineController(ConfigMap, { async reconcile() {} })],
    client,
    log: countingLog(),
    runtime: clock.runtime,
    webhooks: {
      serve: createHooks(hooks, () => counts.reviews++),
      url: `https://127.0.0.1:${await freePort()}`,
      certificates: {
        from: "secret",
        authorityValidity: `${authoritySeconds}s`,
        leafValidity: `${leafSeconds}s`,
        overlap: `${overlapSeconds}s`,
      },
    },
  });
  await manager.start();
  const begin = { at: performance.now(), cpu: process.cpuUsage() };
  try {
    const ended = new AbortController();
    const load = Array.from({ length: creators }, () => create(client, ended.signal));
    const said = isReference ? setInterval(() => console.log(describe(begin)), 30_000) : undefined;
    await rotate(client, clock);
    ended.abort();
    await Promise.all(load);
    clearInterval(said);
  } finally {
    await manager.stop();
  }
  console.log(describe(begin));
  assert.deepEqual([...failures], [], `${counts.failed} creations failed`);
  assert.equal(counts.reviews, counts.creations * hooks, "each creation asked all webhooks");
  assert.ok(counts.authorities >= rotations);
}

/** Creates in dry run until the end; a creation takes one review of each webhook. */
async function create(client: Client, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    try {
      await client.create(Errand, errand(`errand-${counts.creations}`), { dryRun: "All" });
      counts.creations++;
    } catch (error) {
      counts.failed++;
      failures.add(error instanceof Error ? error.message : String(error));
      if (failures.size > 5) throw error;
    }
  }
}

/** Starts one rotation after the other, by turns of certificates that are due and have expired. */
async function rotate(client: Client, clock: JumpingClock): Promise<void> {
  for (let i = 0; i < rotations; i++) {
    await until(() => counts.reviews >= (wanted * i) / rotations);
    const before = counts.authorities;
    const isExpired = i % 2 === 1;
    clock.jump((isExpired ? authoritySeconds : (authoritySeconds * 2) / 3) * 1000 + 1000);
    // The manager sleeps until its certificates are due by a timer; a change of the Secret wakes
    // it.
    await client.patch(Secret, "proof-webhooks", {
      type: "merge",
      body: { metadata: { labels: { jump: String(i) } } },
    });
    await until(() => counts.authorities > before);
  }
  await until(() => counts.reviews >= wanted);
}

async function until(test: () => boolean): Promise<void> {
  while (!test() && failures.size === 0) await sleep(50);
}

interface JumpingClock {
  readonly runtime: Runtime;
  jump(ms: number): void;
}

/** A clock whose time of day jumps ahead; timers are those of the system. */
function createJumpingClock(): JumpingClock {
  const real = createSystemRuntime();
  let aheadMs = 0;
  const clock = { ...real.clock, now: () => real.clock.now() + aheadMs };
  return { runtime: { ...real, clock }, jump: (ms) => void (aheadMs += ms) };
}

/** Counts what the webhooks say of their certificates. */
function countingLog(): ReconcileLog {
  const info = (message: string): void => {
    if (message.endsWith("the next authority signs")) counts.authorities++;
    if (message.endsWith("a new serving certificate is issued")) counts.leaves++;
  };
  const fail = (message: string): void => {
    if (message.includes("webhook")) failures.add(message);
  };
  return { debug() {}, info, warn: fail, error: fail } as ReconcileLog;
}

function describe({ at, cpu }: { readonly at: number; readonly cpu: NodeJS.CpuUsage }): string {
  const { reviews, failed, authorities, leaves } = counts;
  const seconds = (performance.now() - at) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const microseconds = Math.round((user + system) / Math.max(reviews, 1));
  return (
    `${reviews} reviews in ${seconds.toFixed(1)} s, ${failed} creations failed; ` +
    `${authorities} new authorities, ${leaves} more serving certificates; ` +
    `${microseconds} µs of CPU a review, in this process`
  );
}
