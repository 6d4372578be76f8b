// Proof: `homeostat server --data-dir` loses no acknowledged write when it is killed. SIGKILL comes
// at a random moment while writers and watches are running, sometimes during start-up, also of the
// first start in an empty folder. The server is restarted on the same folder and port. Every
// acknowledged write and deletion must survive; unacknowledged writes are complete or absent; no
// revision is used twice; watches resume with every change in order or fail as too old; Services
// keep their addresses; definitions are served. The writers are a service account whose token and
// role outlive the server, and every write has passed policies and a webhook (guards.ts).
// Usage: `node tools/run.mjs tools/proofs/server-kill/server-kill.ts [KILLS] [SEED] [--fsync]`
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Transport } from "../../../packages/homeostat/src/api/transport.ts";
import { loadKubeconfig } from "../../../packages/homeostat/src/client/index.ts";
import { createUndiciTransport } from "../../../packages/homeostat/src/client/undici-transport.ts";
import { createChance } from "../../../test/fixtures/mutated-requests/chance.ts";
import { freePort } from "../../../test/fixtures/free-port.ts";
import { withToken } from "../with-token.ts";
import { Follower } from "./follower.ts";
import { judgeGuards, placeGuards, startHook } from "./guards.ts";
import { isOurs, Knowledge, type Shown } from "./knowledge.ts";
import { collections, definition, write } from "./load.ts";
import { kubeconfigOf, type Place, startServer } from "./server-process.ts";
import { call } from "./wire.ts";

const [kills = 20, seed = Date.now() % 1_000_000] = process.argv
  .slice(2)
  .filter((word) => !word.startsWith("--"))
  .map(Number);
const flags = ["--controllers", "all", ...(process.argv.includes("--fsync") ? ["--fsync"] : [])];
const { below } = createChance(seed);
const chance = (): number => below(2 ** 30) / 2 ** 30;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const folder = mkdtempSync(join(tmpdir(), "homeostat-server-kill-"));
const place: Place = { folder, port: await freePort(), flags };
const knowledge = new Knowledge();
const followers = new Map(
  collections.map((collection) => [collection, new Follower(collection, knowledge)]),
);
const begun = performance.now();
let starting = 0;
const hook = await startHook();
let writerToken = "";
try {
  console.log(`seed ${seed}${flags.includes("--fsync") ? ", with fsync" : ""}`);
  for (let kill = 0; kill < kills; kill++) {
    if (kill % 8 === 7) await killStarting(place, 400);
    else await killWorking(kill);
    if (kill % 100 === 99) report(kill + 1);
  }
  await lastLife();
  for (let first = 0; first < Math.ceil(kills / 20); first++) await killFirstStart(first);
  report(kills);
} catch (error) {
  console.log(`seed ${seed}: the folder stays for a look: ${folder}`);
  throw error;
}
hook.close();
rmSync(folder, { recursive: true, force: true });

function report(done: number): void {
  const of = [...followers.values()];
  const sum = (each: (follower: Follower) => number): number =>
    of.reduce((all, follower) => all + each(follower), 0);
  const bytes = readdirSync(join(folder, "data")).reduce(
    (all, name) => all + statSync(join(folder, "data", name)).size,
    0,
  );
  console.log(
    `${done} kills (${starting} of a start), ${Math.round((performance.now() - begun) / 1000)} s: ${knowledge.acknowledged} writes acknowledged, none lost; of ${knowledge.unanswered.whole + knowledge.unanswered.absent} without an answer ${knowledge.unanswered.whole} whole, ${knowledge.unanswered.absent} absent; ${sum((each) => each.events)} changes watched in order, ${sum((each) => each.tooOld)} times too old; revision ${knowledge.newest}; data directory ${(bytes / 2 ** 20).toFixed(1)} MiB`,
  );
}

/** A life with work in it: judged first, then put to work, then killed. */
async function killWorking(kill: number): Promise<void> {
  const life = startServer(place);
  await life.ready;
  const transport = await connect(place);
  let writer: Transport | undefined;
  try {
    if (kill === 0) {
      await define(transport);
      writerToken = await placeGuards(transport, hook);
    }
    writer = await connect(place, writerToken);
    await judgeGuards(writer);
    await judge(transport);
    const load = {
      transport: writer,
      knowledge,
      chance,
      wrote: (collection: (typeof collections)[number], revision: number) =>
        followers.get(collection)!.noteWrite(revision),
    };
    const writers = collections.flatMap((collection) =>
      Array.from({ length: collection.writers }, (_, i) => write(load, collection, i)),
    );
    let isOver = false;
    const all = Promise.all(writers).finally(() => (isOver = true));
    // On a busy machine the first answer may come late; some kills come before it.
    const begins = kill % 4 === 3 ? Promise.resolve() : firstAnswer(() => isOver);
    await Promise.race([all, begins.then(() => pause(20 + 500 * chance() ** 2))]);
    await life.kill();
    await all;
    await Promise.all([...followers.values()].map((follower) => follower.afterKill()));
  } finally {
    await life.kill();
    await writer?.close();
    await transport.close();
  }
}

/** Resolves when one more write is acknowledged, or none can be. */
async function firstAnswer(isOver: () => boolean): Promise<void> {
  const before = knowledge.acknowledged;
  while (knowledge.acknowledged === before && !isOver()) await pause(5);
}

async function killStarting(where: Place, withinMs: number): Promise<void> {
  const life = startServer(where);
  await pause(withinMs * chance());
  await life.kill();
  starting++;
}

/** What a restarted server shows is what it has to show. */
async function judge(transport: Transport): Promise<void> {
  const found = new Map<string, Shown>();
  let revision = 0;
  for (const { path } of collections) {
    const { metadata, items } = (await get(transport, path)) as {
      readonly metadata: { readonly resourceVersion: string };
      readonly items: readonly Shown[];
    };
    for (const item of items) if (isOurs(item)) found.set(`${path}/${item.metadata.name}`, item);
    revision = Number(metadata.resourceVersion);
  }
  knowledge.settle(found, revision);
  await Promise.all(
    [...followers.values()].map((follower) => follower.resume(transport, found, revision)),
  );
  for (const follower of followers.values()) await follower.askAgain(transport, chance);
  await judgeAddresses(transport, [...found.values()]);
}

/** Every Service has an address that no other Service has. */
async function judgeAddresses(transport: Transport, objects: readonly Shown[]): Promise<void> {
  const addresses = objects.flatMap(({ spec }) => spec?.clusterIP ?? []);
  assert.equal(new Set(addresses).size, addresses.length, `addresses: ${addresses.join(", ")}`);
  const [taken] = addresses;
  if (taken === undefined) return;
  const thief = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "thief" },
    spec: { clusterIP: taken, ports: [{ port: 80 }] },
  };
  const answer = await call(transport, "POST", "/api/v1/namespaces/default/services", {
    body: thief,
  });
  assert.equal(
    answer?.status,
    422,
    `${taken} is taken, and was given away: ${JSON.stringify(answer?.body)}`,
  );
}

/**
 * A run without a kill: checks the state again, that controllers work, and that the file is intact
 * after the end.
 */
async function lastLife(): Promise<void> {
  const life = startServer(place);
  await life.ready;
  const transport = await connect(place);
  await judge(transport);
  const containers = [{ name: "a", image: "a" }];
  const labels = { app: "last" };
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "last" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
  assert.equal(
    (
      await call(transport, "POST", "/apis/apps/v1/namespaces/default/deployments", {
        body: deployment,
      })
    )?.status,
    201,
  );
  const giveUp = Date.now() + 60_000;
  for (
    let sets = 0;
    sets === 0;
    sets = (
      (await get(transport, "/apis/apps/v1/namespaces/default/replicasets")) as {
        readonly items: readonly unknown[];
      }
    ).items.length
  ) {
    if (Date.now() > giveUp) await life.kill();
    assert.ok(Date.now() < giveUp, "the controller of Deployments is at work");
    await pause(20);
  }
  await life.kill();
  await Promise.all([...followers.values()].map((follower) => follower.afterKill()));
  await transport.close();
  const database = new DatabaseSync(join(folder, "data", "journal.db"));
  assert.deepEqual(
    { ...database.prepare("PRAGMA integrity_check").get() },
    { integrity_check: "ok" },
  );
  database.close();
}

/** A folder in which the very first start was killed is a folder like any other. */
async function killFirstStart(first: number): Promise<void> {
  const other: Place = { folder: join(folder, `first-${first}`), port: place.port, flags };
  await killStarting(other, 250);
  const life = startServer(other);
  await life.ready;
  const transport = await connect(other);
  for (const path of [
    "/api/v1/namespaces/kube-system",
    "/api/v1/namespaces/default/services/kubernetes",
    "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
  ])
    await get(transport, path);
  await life.kill();
  await transport.close();
}

async function define(transport: Transport): Promise<void> {
  assert.equal(
    (
      await call(transport, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        body: definition,
      })
    )?.status,
    201,
  );
  while ((await call(transport, "GET", "/apis/proof.example.com/v1/widgets"))?.status !== 200)
    await pause(5);
}

async function get(transport: Transport, path: string): Promise<unknown> {
  const answer = await call(transport, "GET", path);
  assert.equal(answer?.status, 200, `GET ${path}: ${JSON.stringify(answer)}`);
  return answer?.body;
}

/** Every life of a server has the same certificate authority and the same token. */
async function connect(where: Place, token?: string): Promise<Transport> {
  const { server, tls, auth } = await loadKubeconfig({ path: kubeconfigOf(where) });
  assert.ok(auth.type === "token", "the kubeconfig has a token");
  return withToken(createUndiciTransport({ server, tls }), token ?? auth.token);
}
