// Proof: of two replicas that elect a leader, as processes under load, the standby begins its first
// reconcile at the moment of expiry after a SIGKILL of the leader, and at once after a SIGTERM; and
// a leader that was stopped by SIGSTOP for longer than its Lease lasts writes nothing when it is
// continued, which the server's own audit log says (audit-judge.ts). Between the check of the fence
// and the system call that sends lie some 0.1 ms, in which a stop is not noticed: one such write in
// fifty stops is allowed and reported; without the fence nearly every stop has some.
// Usage: `node tools/run.mjs tools/proofs/failover/failover.ts [--rounds N] [--only
// kill,leave,stop] [--timings 15000,10000,2000] [--reference] [--strict] [--output json]`. Default:
// three rounds of each deed with timings of 3, 2 and 0.4 s. --strict asserts the bars in time;
// --reference runs on the real kube-apiserver (tools/reference).
import assert from "node:assert/strict";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { installDefinitions } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { Lease } from "homeostat/k8s/coordination/v1";
import { percentile } from "../../../bench/measure/statistics.ts";
import { judgeAuditLog } from "./audit-judge.ts";
import { openAuditedServer } from "./audited-server.ts";
import { Replica } from "./replica-process.ts";
import { namespace, operator, Ticket } from "./ticket.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string", default: "kill,leave,stop" },
    timings: { type: "string", default: "3000,2000,400" },
    reference: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    output: { type: "string", default: "text" },
  },
});
const rounds = Number(flags.rounds);
const [leaseDurationMs, renewDeadlineMs, retryPeriodMs] = flags.timings.split(",").map(Number);
const timings = {
  leaseDurationMs: leaseDurationMs!,
  renewDeadlineMs: renewDeadlineMs!,
  retryPeriodMs: retryPeriodMs!,
};
const tickets = 50;
const patienceMs = timings.leaseDurationMs * 3 + 60_000;

const server = await openAuditedServer(flags.reference ? "reference" : "embedded");
const access = await loadKubeconfig({ path: server.kubeconfig });
const client = createClient({ access, namespace, userAgent: "proof" });
const replicas: Replica[] = [];
const over = new AbortController();
/** When each replica last renewed the Lease, by the Lease itself. */
const renewedAt = new Map<string, number>();
let holder = "";
/** Milliseconds of each round, by deed. */
const figures: Record<string, number[]> = {};
const note = (name: string, ms: number): void => void (figures[name] ??= []).push(ms);

try {
  await prove();
} finally {
  over.abort();
  for (const replica of alive()) {
    replica.signal("SIGCONT");
    replica.signal("SIGKILL");
  }
  await Promise.all(replicas.map(({ gone }) => gone));
  await client.close();
  await server.close();
}

async function prove(): Promise<void> {
  await installDefinitions(client, [Ticket]);
  for (let i = 0; i < tickets; i++) await client.create(Ticket, Ticket(`t-${i}`, { wanted: 0 }));
  void followLease();
  void change();
  await settle();
  for (const deed of flags.only.split(","))
    for (let round = 0; round < rounds; round++) {
      const [leader, standby] = await settle();
      // A standby times a Lease from the change that it has seen: it is to have seen a renewal.
      await sleep((1.2 + Math.random()) * timings.retryPeriodMs);
      if (deed === "kill") await kill(leader, standby);
      if (deed === "leave") await leave(leader, standby);
      if (deed === "stop") await stop(leader, standby);
    }
  await settle();
  report();
}

/** From the last renewal of a leader that is killed to the first reconcile of the standby. */
async function kill(leader: Replica, standby: Replica): Promise<void> {
  leader.signal("SIGKILL");
  const first = await firstReconcile(standby);
  await until(() => holder === standby.identity, "the Lease of the standby");
  const expiry = renewedAt.get(leader.identity)! + timings.leaseDurationMs;
  const led = await until(() => standby.said("leading as"), "the line of the new leader");
  note("kill", first - renewedAt.get(leader.identity)!);
  note("kill: from expiry to leading", led - expiry);
  note("kill: from leading to reconcile", first - led);
}

/** From the signal that ends a leader to the first reconcile of the standby. */
async function leave(leader: Replica, standby: Replica): Promise<void> {
  const asked = Date.now();
  leader.signal("SIGTERM");
  const first = await firstReconcile(standby);
  note("leave", first - asked);
  await leader.gone;
  const released = leader.said("released the Lease");
  // A write without an answer lets the Lease expire instead.
  if (released === undefined) return;
  note("leave: drained and released", released - asked);
  note("leave: from release to reconcile", first - released);
}

/** Stops a leader for long enough, or nearly, and continues it. */
async function stop(leader: Replica, standby: Replica): Promise<void> {
  const stopMs = timings.leaseDurationMs * (0.9 + Math.random() * 0.8);
  leader.signal("SIGSTOP");
  await sleep(stopMs);
  leader.signal("SIGCONT");
  await sleep(500);
  if (holder === standby.identity)
    await until(() => leader.said(`standing by: ${standby.identity} leads`), "the deposed");
}

async function firstReconcile(standby: Replica): Promise<number> {
  return until(() => standby.reconciles[0], `a reconcile of ${standby.identity}`);
}

/** Two replicas, one of which leads and works, while the other has warm caches. */
async function settle(): Promise<readonly [Replica, Replica]> {
  while (alive().length < 2) join();
  const [one, other] = alive() as [Replica, Replica];
  await until(() => [one, other].some(({ identity }) => identity === holder), "a leader");
  const [leader, standby] = holder === one.identity ? [one, other] : [other, one];
  await until(() => standby.said(`standing by: ${leader.identity} leads`), "the standby");
  await until(() => standby.said("caches synced"), "the caches of the standby");
  const seen = leader.reconciles.length;
  await until(() => leader.reconciles.length > seen, "the work of the leader");
  standby.reconciles.length = 0;
  return [leader, standby];
}

function join(): void {
  replicas.push(new Replica(`replica-${replicas.length}`, server.kubeconfig, timings));
}

function alive(): readonly Replica[] {
  return replicas.filter(({ isGone }) => !isGone);
}

async function followLease(): Promise<void> {
  const { signal } = over;
  while (!signal.aborted)
    try {
      const fieldSelector = `metadata.name=${operator}`;
      for await (const { type, object } of client.watch(Lease, {
        namespace,
        fieldSelector,
        signal,
      }))
        if (type !== "BOOKMARK") saw(object);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
}

function saw({ spec }: Lease): void {
  holder = spec?.holderIdentity ?? "";
  if (holder !== "") renewedAt.set(holder, Date.parse(spec!.renewTime!));
}

/** The load: tickets change all the time. */
async function change(): Promise<void> {
  for (let wanted = 1; !over.signal.aborted; wanted++) {
    const name = `t-${wanted % tickets}`;
    const body = { spec: { wanted } };
    await client.patch(Ticket, name, { type: "merge", body }).catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    });
    await sleep(20);
  }
}

async function until<T>(value: () => T | undefined | false | "", what: string): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const found = value();
    if (found) return found;
    if (performance.now() > end) {
      for (const { identity, lines } of alive()) console.error(identity, lines.slice(-8));
      assert.fail(`no sign of ${what}`);
    }
    await sleep(5);
  }
}

function report(): void {
  const agents = new Set(replicas.map(({ identity }) => identity));
  const verdict = judgeAuditLog(server.auditLog, agents);
  const { writes, terms, faults } = verdict;
  const fenced = replicas.reduce((sum, one) => sum + one.fenced, 0);
  const rows = Object.entries(figures).map(([what, ms]) => ({
    what,
    rounds: ms.length,
    ...Object.fromEntries([50, 90, 99, 100].map((p) => [`p${p}`, percentile(ms, p / 100)])),
  }));
  const load = loadavg()[0]!.toFixed(1);
  const result = { server: server.what, timings, load, rows, writes, terms, fenced, faults };
  if (flags.output === "json") console.log(JSON.stringify(result));
  else {
    const [lease, renew, retry] = Object.values(timings).map((ms) => ms / 1000);
    console.log(`${server.what} server, ${lease}/${renew}/${retry} s, load ${load}; in ms:`);
    for (const { what, ...row } of rows) console.log(`  ${what}: ${JSON.stringify(row)}`);
    console.log(`  ${writes} writes in ${terms} terms judged, ${fenced} refused by the fence`);
    for (const fault of faults) console.log(`  slipped through: ${fault}`);
  }
  const isStopped = flags.only.includes("stop");
  const allowed = isStopped ? Math.ceil(rounds / 50) : 0;
  const some = JSON.stringify(faults.slice(0, 10), null, 2);
  assert.ok(faults.length <= allowed, `${faults.length} writes of a deposed leader: ${some}`);
  assert.ok(writes > 0, "the judge has seen the writes");
  if (flags.strict) assertBars();
}

function assertBars(): void {
  const { kill = [], leave = [] } = figures;
  const late = percentile(kill, 0.99) - timings.leaseDurationMs;
  assert.ok(kill.length === 0 || late <= 100, `kill: ${late} ms after expiry`);
  const slow = percentile(leave, 0.99);
  assert.ok(leave.length === 0 || slow <= 50, `leave: ${slow} ms`);
}
