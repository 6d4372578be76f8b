// Proof: replicas that share objects reconcile every object, and no object by two at once, while
// replicas are killed, stopped for longer than their Leases last, continued, added and asked to
// leave. Three processes work while objects change. Judged by the server's own order of all writes
// (judge.ts), and by the runs that the processes report: none overlaps another of the same object
// unless its process was stopped or killed before. After each deed the slots are shared again and
// every change is reconciled; in the end all objects are.
// Usage: `node tools/run.mjs tools/proofs/sharding/sharding.ts [--full] [--reference] [SEED
// [DEEDS]]`; with --full 10,000 objects and Leases of 15 s, with --reference on the real
// kube-apiserver (tools/reference).
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { installDefinitions, type Kind, type ObjectOf } from "homeostat";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import { Lease } from "homeostat/k8s/coordination/v1";
import { createChance } from "../../../test/fixtures/mutated-requests/chance.ts";
import { freePort } from "../../../test/fixtures/free-port.ts";
import { openFolder, openReference } from "../end-with-proof.ts";
import { kubeconfigOf, startServer } from "../server-kill/server-process.ts";
import { Job, namespace, ring } from "./job.ts";
import { Judge } from "./judge.ts";
import { Replica, type Run } from "./replicas.ts";

const flags = process.argv.slice(2);
const isFull = flags.includes("--full");
const numbers = flags.filter((flag) => /^\d+$/.test(flag)).map(Number);
const [seed = Date.now() % 1_000_000, deeds = isFull ? 24 : 6] = numbers;
const objects = isFull ? 10_000 : 300;
const leaseMs = isFull ? 15_000 : 3000;
/** How many objects change while one deed is done. */
const changes = isFull ? 1000 : 100;
/** A slow machine takes its time; one that does nothing has failed. */
const patienceMs = 60_000;
const { below } = createChance(seed);

const server = await openServer();
const client = createClient({
  access: await loadKubeconfig({ path: server.kubeconfig }),
  namespace,
});
const judge = new Judge();
const runs: Run[] = [];
const replicas: Replica[] = [];
const wanted = new Map<string, number>();
const seen = new Map<string, number>();
/** Which run wrote an object last. */
const lastRun = new Map<string, string>();
const watching = new AbortController();
const counts = { kill: 0, stop: 0, join: 0, leave: 0, lost: 0 };
const began = performance.now();

try {
  console.log(`seed ${seed}: ${objects} objects, ${deeds} deeds, Leases of ${leaseMs / 1000} s`);
  await prove(client);
} finally {
  watching.abort();
  for (const replica of alive()) replica.kill();
  await Promise.all(replicas.map(({ gone }) => gone));
  await client.close();
  await server.close();
}

async function prove(client: Client): Promise<void> {
  await installDefinitions(client, [Job]);
  await clear(client);
  follow(client);
  for (let i = 0; i < objects; i += 50)
    await Promise.all(Array.from({ length: Math.min(50, objects - i) }, (_, j) => create(i + j)));
  for (let i = 0; i < 3; i++) join();
  await settled("the start");
  for (let deed = 0; deed < deeds; deed++) {
    const what = await perform();
    const from = performance.now();
    await settled(`deed ${deed + 1}, ${what}`);
    const tookMs = Math.round(performance.now() - from);
    if (isFull) console.log(`deed ${deed + 1}, ${what}: settled ${tookMs} ms after it`);
  }
  await changeAll();
  await settled("the end");
  report();
}

/** What an earlier proof on this server has left. */
async function clear(client: Client): Promise<void> {
  const labelSelector = `homeostat.dev/ring=${ring}`;
  await client.deleteCollection(Lease, { namespace, labelSelector });
  await client.deleteCollection(Job, { namespace });
}

async function create(i: number): Promise<void> {
  const name = `job-${i}`;
  await client.create(Job, Job(name, { wanted: 1 }));
  wanted.set(name, 1);
}

/** Follows all Leases and objects from their first version on. */
function follow(client: Client): void {
  void followKind(client, Lease, (lease, isDeleted) => {
    if (lease.metadata.labels?.["homeostat.dev/ring"] === ring) judge.sawLease(lease, isDeleted);
  });
  void followKind(client, Job, ({ metadata, status }) => {
    const { by, run, seen: number } = status;
    if (by === undefined || run === undefined) return;
    seen.set(metadata.name, number ?? 0);
    const id = `${metadata.name} ${by} ${run}`;
    if (lastRun.get(metadata.name) === id) return;
    lastRun.set(metadata.name, id);
    judge.sawWrite({ at: BigInt(metadata.resourceVersion), name: metadata.name, by });
  });
}

async function followKind<K extends Kind>(
  client: Client,
  kind: K,
  saw: (object: ObjectOf<K>, isDeleted: boolean) => void,
): Promise<void> {
  const { signal } = watching;
  let { resourceVersion } = await client.list(kind, { namespace });
  while (!signal.aborted)
    try {
      const options = { namespace, resourceVersion, signal, timeoutSeconds: 300 };
      for await (const { type, object } of client.watch(kind, options)) {
        ({ resourceVersion } = (object as { metadata: { resourceVersion: string } }).metadata);
        if (type !== "BOOKMARK") saw(object, type === "DELETED");
      }
    } catch (error) {
      if (signal.aborted) return;
      console.error(error);
      process.exit(1);
    }
}

function join(): Replica {
  const where = { kubeconfig: server.kubeconfig, leaseMs: leaseMs };
  const replica = new Replica(`replica-${replicas.length}`, where, runs);
  replicas.push(replica);
  void replica.gone.then(() => {
    if (replica.isExpected) return;
    counts.lost++;
    if (!watching.signal.aborted) join();
  });
  return replica;
}

function alive(): readonly Replica[] {
  return replicas.filter(({ isGone }) => !isGone);
}

/** Does something to a replica while objects change. */
async function perform(): Promise<string> {
  const candidates = alive();
  const victim = candidates[below(candidates.length)]!;
  const choices = ["kill", "stop", "stop", "join", "leave"] as const;
  let what: (typeof choices)[number] = choices[below(choices.length)]!;
  if (what === "join" && candidates.length >= 5) what = "kill";
  if (what === "leave" && candidates.length <= 3) what = "join";
  const changing = changeSome();
  await sleep(below(300));
  counts[what]++;
  if (what === "join") join();
  if (what === "leave") {
    victim.isExpected = true;
    victim.leave();
  }
  if (what === "kill") {
    victim.isExpected = true;
    victim.kill();
    await sleep(below(leaseMs));
    join();
  }
  if (what === "stop") {
    victim.stop();
    await sleep(below(leaseMs * 2.5));
    victim.continue();
  }
  await changing;
  return what;
}

async function change(i: number): Promise<void> {
  const name = `job-${i}`;
  const next = wanted.get(name)! + 1;
  wanted.set(name, next);
  await client.patch(Job, name, { type: "merge", body: { spec: { wanted: next } } });
}

async function changeSome(): Promise<void> {
  for (let i = 0; i < changes; i += 5) {
    const some = new Set(Array.from({ length: 5 }, () => below(objects)));
    await Promise.all(Array.from(some, change));
    await sleep(10);
  }
}

async function changeAll(): Promise<void> {
  for (let i = 0; i < objects; i += 20)
    await Promise.all(Array.from({ length: Math.min(20, objects - i) }, (_, j) => change(i + j)));
}

/** Every change is reconciled, and the slots are shared by those that live. */
async function settled(after: string): Promise<void> {
  let known = 0;
  let end = performance.now() + patienceMs;
  for (;;) {
    if (judge.writes.length > known) end = performance.now() + patienceMs;
    known = judge.writes.length;
    const missing = [...wanted].filter(([name, number]) => seen.get(name) !== number);
    const unshared = await sharingFault();
    if (missing.length === 0 && unshared === undefined) return;
    if (performance.now() > end) {
      await describe(missing.map(([name]) => name));
      assert.fail(
        `after ${after}: ${missing.length} objects wait; ${unshared ?? "slots are shared"}`,
      );
    }
    await sleep(100);
  }
}

/** What is known of objects that wait. */
async function describe(names: readonly string[]): Promise<void> {
  for (const { identity, lines } of alive()) console.log(identity, lines.slice(-5));
  console.log(judge.faults(namespace).slice(0, 20));
  for (const name of names.slice(0, 5)) {
    const { metadata, spec, status } = await client.get(Job, name);
    const last = runs.filter((run) => run.name === name).slice(-3);
    console.log(metadata.name, metadata.resourceVersion, spec, status, wanted.get(name), last);
  }
}

async function sharingFault(): Promise<string | undefined> {
  const labelSelector = `homeostat.dev/ring=${ring}`;
  const { items } = await client.list(Lease, { namespace, labelSelector });
  const holders = items.map(({ spec }) => spec.holderIdentity!).toSorted();
  const living = alive().map(({ identity }) => identity);
  if (holders.join() !== living.toSorted().join()) return `Leases of ${holders}, alive ${living}`;
  let claimed = 0n;
  for (const { metadata } of items) {
    const slots = BigInt(`0x${metadata.annotations!["homeostat.dev/slots"]}`);
    if ((claimed & slots) !== 0n) return "two claim a slot";
    claimed |= slots;
  }
  return claimed === (1n << 1024n) - 1n ? undefined : "no one claims a slot";
}

/** Runs of one object that two processes have made at once. */
function overlaps(): readonly string[] {
  const byName = Map.groupBy(runs, ({ name }) => name);
  return [...byName].flatMap(([name, some]) => {
    const sorted = some.toSorted((a, b) => Number(a.from - b.from));
    return sorted.flatMap((run, i) => {
      const before = sorted[i - 1];
      if (!before || before.by === run.by) return [];
      const end = before.cut ?? before.to;
      const isOver = end !== undefined && end <= run.from;
      return isOver
        ? []
        : [`${name}: ${before.by} from ${before.from} to ${end}, and ${run.by} from ${run.from}`];
    });
  });
}

function report(): void {
  const faults = [...judge.faults(namespace), ...overlaps()];
  assert.deepEqual(faults.slice(0, 20), [], `seed ${seed}: ${faults.length} faults`);
  const { kill, stop, join, leave, lost } = counts;
  const refused = runs.filter(({ hasFailed }) => hasFailed).length;
  const moves = judge.writes.length;
  assert.ok(moves > objects, "the judge has seen the writes");
  console.log(
    `${objects} objects, ${runs.length} runs, ${moves} writes judged, ${refused} runs refused; ${kill} killed, ${stop} stopped (${lost} lost their membership), ${join} joined, ${leave} left: every object reconciled, none by two at once, in ${Math.round((performance.now() - began) / 1000)} s`,
  );
}

interface Opened {
  readonly kubeconfig: string;
  close(): Promise<void>;
}

async function openServer(): Promise<Opened> {
  if (flags.includes("--reference")) {
    const reference = await openReference();
    return { kubeconfig: reference.kubeconfigPath, close: () => reference.stop() };
  }
  const { path: folder, remove } = openFolder("sharding");
  const place = { folder, port: await freePort(), flags: ["--controllers", "none"] };
  const life = startServer(place);
  await life.ready;
  return {
    kubeconfig: kubeconfigOf(place),
    async close() {
      await life.kill();
      remove();
    },
  };
}
