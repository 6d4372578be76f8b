// Candidates on a scripted server with a virtual clock.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigMap } from "../k8s/core/v1/index.ts";
import { createClient } from "../client/create-client.ts";
import { createVirtualRuntime, type VirtualRuntime } from "../runtime/virtual-runtime.ts";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { defaultTimings } from "./election-timings.ts";
import { Elector } from "./elector.ts";
import { createLeaseServer } from "./lease-server.suite.ts";

function arrange(runtime = createVirtualRuntime(), server = createLeaseServer()) {
  const client = createClient({ transport: server.transport, runtime, namespace: "home" });
  const stand = (identity: string) => {
    const said: string[] = [];
    const elector = new Elector({
      client,
      runtime,
      name: "op",
      namespace: "home",
      identity,
      timings: defaultTimings,
      led: () => void said.push("led"),
      lost: (why) => void said.push(`lost: ${why}`),
      holder: (holder) => void said.push(`holder ${holder}`),
      event: (_, text) => void said.push(`event ${text}`),
      warn: (message) => void said.push(`warn ${message}`),
    });
    elector.start();
    const { fence } = elector;
    const fenced = client.with({ fence: fence.refusal, requested: fence.sends });
    return { elector, said: () => said.splice(0), fenced };
  };
  return { runtime, server, stand };
}

/** A leader, and a standby that knows it. */
async function leaderAndStandby() {
  const arranged = arrange();
  const { runtime, server, stand } = arranged;
  const leader = stand("one");
  await runtime.advance(100);
  const standby = stand("two");
  await runtime.advance(100);
  assert.deepEqual(leader.said(), [
    "holder undefined",
    "holder one",
    "event one became leader",
    "led",
  ]);
  assert.deepEqual(standby.said(), ["holder one"]);
  server.requests();
  return { ...arranged, leader, standby };
}

/** Silences a leader's whole process. */
const kill = (runtime: VirtualRuntime): void => {
  runtime.clock.timer = () => ({ cancel: () => {} });
};

describe("electors", () => {
  it("hand over at once when one resigns", async () => {
    const { runtime, leader, standby, server } = await leaderAndStandby();
    const resigned = leader.elector.resign();
    await runtime.advance(0);
    await resigned;
    assert.deepEqual(leader.said(), ["holder undefined", "event one stopped leading"]);
    assert.deepEqual(standby.said(), [
      "holder undefined",
      "holder two",
      "event two became leader",
      "led",
    ]);
    assert.equal(server.lease?.spec?.leaseTransitions, 1);
    assert.equal(leader.elector.report().role, "ended");
    assert.equal(standby.elector.report().role, "leading");
  });

  it("take over from a dead one exactly when its Lease expires", async () => {
    const server = createLeaseServer();
    const dead = createVirtualRuntime();
    arrange(dead, server).stand("one");
    await dead.advance(5000);
    const { runtime, stand } = arrange(createVirtualRuntime(), server);
    const { said } = stand("two");
    await runtime.advance(14_999);
    kill(dead);
    assert.deepEqual(said(), ["holder one"]);
    await runtime.advance(1);
    assert.deepEqual(said(), ["holder two", "event two became leader", "led"]);
  });

  it("wait for one request every two seconds, and no standby asks anything", async () => {
    const { runtime, server, leader, standby } = await leaderAndStandby();
    await runtime.advance(20_000);
    assert.deepEqual(new Set(server.requests()), new Set(["PUT"]));
    assert.deepEqual([...leader.said(), ...standby.said()], []);
  });

  it("shut their fence at the deadline, before another takes the Lease", async () => {
    const { runtime, server, leader, standby } = await leaderAndStandby();
    server.isSilent = true;
    await runtime.advance(9700);
    assert.equal(leader.elector.fence.refusal("PUT", "/x"), undefined);
    await runtime.advance(200);
    assert.match(
      leader.said().join(),
      /^warn the Lease home\/op: .* no answer within 5000 ms\b.*,lost: it was not renewed within 10 s/s,
    );
    const create = leader.fenced.create(ConfigMap, { metadata: { name: "a" } });
    await assert.rejects(create, (error: Error) => isHomeostatError(error, "ERR_ELECTION_FENCED"));
    assert.equal(server.requests().includes("POST"), false);
    assert.deepEqual(standby.said(), []);
  });

  it("shut their fence at once when another holds the Lease, or when they resign", async () => {
    const { runtime, server, leader } = await leaderAndStandby();
    server.set({ holderIdentity: "third", leaseDurationSeconds: 15 });
    await runtime.advance(0);
    assert.match(String(leader.elector.fence.refusal("PUT", "/x")), /third holds it/);
    const other = await leaderAndStandby();
    const resigned = other.leader.elector.resign();
    assert.match(String(other.leader.elector.fence.refusal("PUT", "/x")), /it has stopped/);
    await other.runtime.advance(0);
    assert.equal(await resigned, true);
  });

  it("tell by the clocks alone that they have lost, when the process was stopped", async () => {
    const { runtime, leader } = await leaderAndStandby();
    const { clock } = runtime;
    const monotonic = clock.monotonic;
    clock.monotonic = () => monotonic() + 10_000;
    const refused = leader.elector.fence.refusal("PUT", "/x");
    assert.ok(isHomeostatError(refused, "ERR_ELECTION_FENCED"));
    assert.match(refused.message, /^ERR_ELECTION_FENCED: PUT \/x: not sent, .* Lease home\/op: /);
    clock.monotonic = monotonic;
    leader.elector.fence.open({ at: monotonic(), wall: clock.now() });
    assert.ok(leader.elector.fence.refusal("PUT", "/x"), "a fence that has shut stays so");
    await runtime.advance(0);
  });

  it("do not write before they lead", async () => {
    const { standby } = await leaderAndStandby();
    await assert.rejects(standby.fenced.create(ConfigMap, { metadata: { name: "a" } }), {
      code: "ERR_ELECTION_FENCED",
    });
    assert.ok(await standby.fenced.get(ConfigMap, "a"));
  });

  it("release the Lease only when all writes are answered", async () => {
    const { runtime, server, leader, standby } = await leaderAndStandby();
    server.isSilent = true;
    const written = leader.fenced.create(ConfigMap, { metadata: { name: "a" } }).catch(() => {});
    await runtime.advance(0);
    const resigned = leader.elector.resign();
    await runtime.advance(500);
    assert.equal(server.requests().filter((one) => one === "PUT").length, 0);
    server.isSilent = false;
    await runtime.advance(0);
    await Promise.all([written, resigned]);
    assert.match(standby.said().join(), /led$/);
  });

  it("let the Lease expire when a write is not answered", async () => {
    const { runtime, server, leader, standby } = await leaderAndStandby();
    server.isSilent = true;
    void leader.fenced.create(ConfigMap, { metadata: { name: "a" } }).catch(() => {});
    await runtime.advance(0);
    const resigned = leader.elector.resign();
    await runtime.advance(1000);
    await resigned;
    server.isSilent = false;
    await runtime.advance(13_000);
    assert.deepEqual(standby.said(), []);
    await runtime.advance(2000);
    assert.match(standby.said().join(), /led$/);
  });

  it("let the Lease expire when they are abandoned, or a release takes too long", async () => {
    const { server, leader, runtime } = await leaderAndStandby();
    assert.equal(leader.elector.abandon(), false);
    assert.match(String(leader.elector.fence.refusal("PUT", "/x")), /it has stopped/);
    assert.deepEqual([server.requests(), runtime.nextTimerMs() !== undefined], [[], true]);
    assert.equal(server.lease?.spec?.holderIdentity, "one");
    const other = await leaderAndStandby();
    other.server.isSilent = true;
    const over = new AbortController();
    const resigned = other.leader.elector.resign(over.signal);
    await other.runtime.advance(0);
    assert.deepEqual(other.server.requests(), ["PUT"]);
    over.abort();
    assert.equal(await resigned, false);
    assert.equal(await (await leaderAndStandby()).leader.elector.resign(over.signal), false);
  });

  it("find a watch that is blind, and open it anew", async () => {
    const { runtime, server, standby } = await leaderAndStandby();
    server.isBlind = true;
    await runtime.advance(7100);
    assert.deepEqual(
      server.requests().filter((one) => one !== "PUT"),
      ["GET", "WATCH"],
    );
    server.isBlind = false;
    await runtime.advance(20_000);
    assert.deepEqual(standby.said(), []);
  });

  it("open a broken watch again after a retry period", async () => {
    const { runtime, server } = await leaderAndStandby();
    server.breakWatches();
    await runtime.advance(1999);
    const early = server.requests();
    assert.equal(early.includes("WATCH"), false);
    await runtime.advance(1);
    assert.equal(server.requests().filter((one) => one === "WATCH").length, 2);
  });

  it("poll where they may not watch, and say so once", async () => {
    const server = createLeaseServer();
    server.refusesWatches = true;
    server.set({ holderIdentity: "go", leaseDurationSeconds: 15 });
    const { runtime, stand } = arrange(undefined, server);
    const { said } = stand("two");
    await runtime.advance(8000);
    server.set({ holderIdentity: "", leaseDurationSeconds: 1 });
    await runtime.advance(4400);
    const [warning, ...others] = said().toSorted((a, b) => b.localeCompare(a));
    assert.match(
      warning!,
      /^warn the Lease home\/op cannot be watched, so that it is read every 2 s/,
    );
    assert.deepEqual(others, [
      "led",
      "holder undefined",
      "holder two",
      "holder go",
      "event two became leader",
    ]);
  });

  it("name the rights that are missing in one line, rarely again, and are not ready", async () => {
    const server = createLeaseServer();
    server.refusesWatches = true;
    server.refused.add("GET");
    const { runtime, stand } = arrange(undefined, server);
    const { elector, said } = stand("two");
    await runtime.advance(8000);
    const [line, ...others] = said();
    assert.match(
      line!,
      /^warn the Lease home\/op cannot be used, so that this replica does not lead: this user may not get and watch leases\.coordination\.k8s\.io in namespace home; grant it .*`homeostat generate`/,
    );
    assert.deepEqual(others, []);
    assert.match(elector.reasons().join(), /^the Lease home\/op cannot be used, .* may not get/);
    await runtime.advance(610_000);
    assert.equal(said().length, 1);
    server.refused.clear();
    await runtime.advance(8000);
    assert.equal(elector.report().role, "leading");
    assert.deepEqual(elector.reasons(), []);
    assert.match(said().join("\n"), /cannot be watched, so that it is read every 2 s/);
  });

  it("that may read and not write are not ready once they have tried", async () => {
    const server = createLeaseServer();
    server.refused.add("POST");
    const { runtime, stand } = arrange(undefined, server);
    const { elector, said } = stand("two");
    await runtime.advance(8000);
    assert.match(said().join("\n"), /^holder undefined\nwarn .* may not create leases/);
    assert.equal(elector.reasons().length, 1);
  });

  it("that stand by soundly have no reason not to be ready", async () => {
    const { standby, server, runtime } = await leaderAndStandby();
    server.refused.add("POST");
    await runtime.advance(8000);
    assert.deepEqual(standby.elector.reasons(), []);
  });

  it("leave no timer and no watch behind", async () => {
    const { runtime, leader, standby, server } = await leaderAndStandby();
    const ended = Promise.all([standby.elector.resign(), leader.elector.resign()]);
    await runtime.advance(0);
    await ended;
    await leader.elector.resign();
    assert.equal(runtime.nextTimerMs(), undefined);
    assert.ok(server.transport.exchanges.every(({ url, aborted }) => aborted || !isWatch(url)));
  });
});

const isWatch = ({ searchParams }: URL): boolean => searchParams.has("watch");
