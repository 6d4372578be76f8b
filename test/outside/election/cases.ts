// Elections between candidates of Go and of ours. Each says what happened in words that are the
// same on every server; the log of writes judges them all.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Lease } from "homeostat/k8s/coordination/v1";
import { until } from "../../fixtures/until.ts";
import type { Candidate, Program } from "./candidate.ts";
import { goPeriodMs, type Play, timings } from "./play.ts";

export type Case = (play: Play) => Promise<string>;

/** Time for processes and the server on a busy machine. */
const slackMs = 500;
const hour = 3_600_000;

/** A leader, and a candidate that stands by. */
async function pair(
  play: Play,
  programs: readonly [Program, Program],
  leases: readonly [number, number] = [timings.leaseDurationMs, timings.leaseDurationMs],
): Promise<readonly [Candidate, Candidate]> {
  const [first, second] = programs;
  const leader = play.start(first, first, { leaseDurationMs: leases[0] });
  await play.leads(leader);
  const standby = play.start(second, second, { leaseDurationMs: leases[1] });
  await play.standsBy(standby);
  return [leader, standby];
}

/** The leader ends as it is asked to, and gives the Lease up. */
const handsOver =
  (first: Program, second: Program): Case =>
  async (play) => {
    const [leader, standby] = await pair(play, [first, second]);
    leader.signal("SIGTERM");
    await play.leads(standby);
    const took = play.log.takenAt(standby.identity) - play.log.releasedAt();
    const limit = second === "ours" ? slackMs : goPeriodMs + slackMs;
    assert.ok(took <= limit, `${took} ms from the release`);
    assert.deepEqual(play.log.holders(), [first, "-", second]);
    return `${second} leads ${second === "ours" ? "at once" : "with its next retry"}`;
  };

/** The leader dies, and its Lease expires by the duration that stands in it. */
const dies =
  (first: Program, second: Program, leases?: readonly [number, number]): Case =>
  async (play) => {
    const [leader, standby] = await pair(play, [first, second], leases);
    leader.signal("SIGKILL");
    await play.leads(standby);
    const took = play.log.takenAt(standby.identity) - play.log.renewedAt(leader.identity);
    const lease = leases?.[0] ?? timings.leaseDurationMs;
    const late = took - lease;
    // client-go compares records with times of whole seconds, and overlooks other renewals.
    const early = second === "ours" ? 50 : 1050;
    assert.ok(late >= -early, `the Lease was taken ${-late} ms before it had expired`);
    const limit = second === "ours" ? slackMs : goPeriodMs + slackMs;
    assert.ok(late <= limit, `the Lease was taken ${late} ms after it had expired`);
    return `${second} leads when the Lease of ${lease / 1000} s has expired`;
  };

/** Ours stops for longer than its Lease lasts, and goes on. */
const isStopped: Case = async (play) => {
  const [leader, standby] = await pair(play, ["ours", "client-go"]);
  leader.signal("SIGSTOP");
  await play.leads(standby);
  const before = play.log.writes(leader.identity);
  leader.signal("SIGCONT");
  await leader.gone;
  await sleep(slackMs);
  assert.equal(play.log.writes(leader.identity), before);
  assert.match(leader.said("ended") ?? "", /ERR_ELECTION_LOST|lost/);
  return "it writes nothing and ends";
};

/** Candidates of each program start on a Lease that does not exist. */
const startAtOnce: Case = async (play) => {
  const programs = ["client-go", "ours", "controller-runtime", "ours"] as const;
  const all = programs.map((program, index) => play.start(program, `${program}-${index}`));
  await until(() => play.log.holder, { timeoutMs: 30_000 });
  await sleep(timings.leaseDurationMs);
  assert.equal(play.log.holders().length, 1, play.log.holders().join(", "));
  const writers = all.filter(({ identity }) => play.log.writes(identity) > 0);
  assert.deepEqual(
    writers.map(({ identity }) => identity),
    play.log.holders(),
  );
  return "exactly one of four leads";
};

/** The record of a holder that nobody hears of, as someone has edited it. */
const edited =
  (program: Program, spec: Lease["spec"], afterMs: number): Case =>
  async (play) => {
    const lease = { metadata: { name: "op" }, spec: { holderIdentity: "ghost", ...spec } };
    await play.client.create(Lease, lease);
    const candidate = play.start(program);
    await until(() => candidate.lines.length > 0, { timeoutMs: 30_000 });
    const began = performance.now();
    await play.leads(candidate);
    const took = play.log.takenAt(candidate.identity) - began;
    // Its first line comes before it reads the Lease.
    assert.ok(took >= afterMs, `${took} ms`);
    assert.ok(took <= afterMs + goPeriodMs + 2 * slackMs, `${took} ms`);
    return afterMs === 0 ? "taken at once" : `taken after ${afterMs / 1000} s`;
  };

const old = new Date(Date.now() - hour).toISOString().replace("Z", "000Z");
const threeSeconds = { leaseDurationSeconds: 3, acquireTime: old };

/** Someone clears the holder while ours leads, and while one in Go does. */
const cleared =
  (program: Program, other: Program): Case =>
  async (play) => {
    const [leader, standby] = await pair(play, [program, other]);
    const body = { spec: { holderIdentity: null } };
    await play.client.patch(Lease, "op", { type: "merge", body });
    await sleep(timings.renewDeadlineMs + goPeriodMs + slackMs);
    const [holder] = [leader, standby].filter(({ identity }) => play.log.holder === identity);
    assert.ok(holder, `${play.log.holder} holds it`);
    // A leader in Go writes until it has tried to renew, and ours until it has heard.
    await play.judge((fault) => /^client-go wrote|while no one held$/.test(fault));
    return "one leads again, and ours writes nothing while another does";
  };

/** A Lease that is deleted under its holder is made again by it. */
const deleted =
  (program: Program, other: Program): Case =>
  async (play) => {
    const [leader, standby] = await pair(play, [program, other]);
    await play.client.delete(Lease, "op");
    await sleep(timings.renewDeadlineMs);
    assert.equal(play.log.holder, leader.identity);
    assert.equal(play.log.writes(standby.identity), 0);
    await play.judge((fault) => fault.endsWith("while no one held"));
    return "its holder makes it again";
  };

export interface NamedCase {
  readonly play: Case;
  /** The judge looks on, but for cases that judge by themselves. */
  readonly judged?: false;
}

/** All cases, by name. */
export const cases: Readonly<Record<string, NamedCase>> = {
  "client-go releases": { play: handsOver("client-go", "ours") },
  "controller-runtime releases": { play: handsOver("controller-runtime", "ours") },
  "ours releases to client-go": { play: handsOver("ours", "client-go") },
  "ours releases to controller-runtime": { play: handsOver("ours", "controller-runtime") },
  "client-go is killed": { play: dies("client-go", "ours") },
  "controller-runtime is killed": { play: dies("controller-runtime", "ours") },
  "ours is killed, client-go stands by": { play: dies("ours", "client-go") },
  "ours is killed, controller-runtime stands by": { play: dies("ours", "controller-runtime") },
  "ours is stopped and continued": { play: isStopped },
  "all start on a missing Lease": { play: startAtOnce },
  "client-go with a longer Lease is killed": { play: dies("client-go", "ours", [6000, 3000]) },
  "client-go with a shorter Lease is killed": { play: dies("client-go", "ours", [3000, 9000]) },
  "ours with a longer Lease is killed": { play: dies("ours", "client-go", [6000, 3000]) },
  "ours with a shorter Lease is killed": { play: dies("ours", "client-go", [3000, 9000]) },
  "renewTime absent, ours": { play: edited("ours", threeSeconds, 3000) },
  "renewTime absent, client-go": { play: edited("client-go", threeSeconds, 3000) },
  "leaseDurationSeconds absent, ours": { play: edited("ours", { renewTime: old }, 0) },
  "leaseDurationSeconds absent, client-go": { play: edited("client-go", { renewTime: old }, 0) },
  "holder absent, ours": { play: edited("ours", { holderIdentity: undefined! }, 0) },
  "holder cleared under ours": { play: cleared("ours", "client-go"), judged: false },
  "holder cleared under client-go": { play: cleared("client-go", "ours"), judged: false },
  "deleted under client-go": { play: deleted("client-go", "ours"), judged: false },
};
