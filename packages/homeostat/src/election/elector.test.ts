// Candidates on a scripted server with a virtual clock.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigMap } from "../k8s/core/v1/index.ts";
import { createVirtualRuntime, type VirtualRuntime } from "../runtime/virtual-runtime.ts";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { arrange, leaderAndStandby } from "./elector-play.suite.ts";
import { createLeaseServer } from "./lease-server.suite.ts";

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

  it("that lose the race for a Lease read it, and say no failure", async () => {
    const { runtime, server, standby, stand } = await leaderAndStandby();
    const third = stand("three");
    await runtime.advance(100);
    server.isSilent = true;
    server.set({ holderIdentity: "", leaseDurationSeconds: 1 });
    await runtime.advance(0);
    assert.deepEqual(server.requests(), ["GET", "WATCH", "PUT", "PUT"]);
    server.isSilent = false;
    await runtime.advance(100);
    assert.deepEqual(third.said(), ["holder one", "holder undefined", "holder two"]);
    assert.equal(standby.elector.report().role, "leading");
    assert.deepEqual(
      standby.said().filter((line) => line.startsWith("warn")),
      [],
    );
  });

  it("that make the Lease at once are one leader and one standby, without a failure", async () => {
    const { runtime, stand } = arrange();
    const both = [stand("one"), stand("two")];
    await runtime.advance(100);
    assert.deepEqual(both.map(({ elector }) => elector.report().role).toSorted(), [
      "leading",
      "standing by",
    ]);
    assert.deepEqual(
      both.flatMap(({ said }) => said()).filter((line) => line.startsWith("warn")),
      [],
    );
  });

  it("make a Lease again that is deleted under them, as soon as they see it", async () => {
    const { runtime, server, leader, standby } = await leaderAndStandby();
    server.set(undefined);
    await runtime.advance(0);
    assert.deepEqual(server.requests(), ["POST"]);
    assert.equal(server.lease?.spec?.holderIdentity, "one");
    assert.equal(leader.elector.report().role, "leading");
    assert.deepEqual(standby.said(), ["holder undefined", "holder one"]);
  });

  it("report how long a renewal took", async () => {
    const { runtime, server, leader } = await leaderAndStandby();
    const renewal = () => leader.elector.report();
    assert.equal(renewal().renewalMs, 0);
    server.isSilent = true;
    await runtime.advance(3000);
    server.isSilent = false;
    await runtime.advance(0);
    const { renewalMs, renewedAt } = renewal();
    assert.deepEqual([renewalMs, runtime.clock.now() - renewedAt!], [1200, 1200]);
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
    await leader.elector.resign();
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
    assert.match(
      refused.message,
      /^ERR_ELECTION_FENCED: PUT \/x: not sent, .* Lease home\/op: .* within 10 s$/,
    );
    clock.monotonic = monotonic;
    leader.elector.fence.open({ at: monotonic(), wall: clock.now() });
    assert.ok(leader.elector.fence.refusal("PUT", "/x"), "a fence that has shut stays so");
    await runtime.advance(0);
  });

  it("end their term as soon as the fence shuts by the clocks", async () => {
    const { runtime, leader } = await leaderAndStandby();
    const { clock } = runtime;
    const monotonic = clock.monotonic;
    clock.monotonic = () => monotonic() + 10_000;
    assert.ok(leader.elector.fence.refusal("PUT", "/x"));
    assert.deepEqual(leader.said(), []);
    await runtime.advance(0);
    assert.match(leader.said().join(), /^lost: it was not renewed within 10 s/);
    assert.equal(leader.elector.report().role, "ended");
  });

  it("keep the process alive until they end, and break off requests then", async () => {
    const runtime = createVirtualRuntime();
    let holds = 0;
    runtime.clock.hold = () => {
      holds++;
      return { cancel: () => void holds-- };
    };
    const { server, stand } = arrange(runtime);
    const { elector } = stand("one");
    await runtime.advance(0);
    assert.equal(holds, 1);
    server.isSilent = true;
    await runtime.advance(2000);
    const asked = server.transport.exchanges.at(-1)!;
    assert.deepEqual([asked.request.method, asked.aborted], ["PUT", false]);
    elector.abandon();
    assert.deepEqual([holds, asked.aborted], [0, true]);
    await runtime.advance(0);
    assert.equal(runtime.nextTimerMs(), undefined);
  });

  it("say that they gave the Lease up only when they did", async () => {
    const { runtime, server, leader, standby } = await leaderAndStandby();
    const resigned = standby.elector.resign();
    await runtime.advance(0);
    assert.equal(await resigned, false);
    assert.deepEqual(standby.said(), [], "it has never led");
    const refused = await leaderAndStandby();
    refused.server.refused.add("PUT");
    const released = refused.leader.elector.resign();
    await refused.runtime.advance(0);
    assert.equal(await released, false);
    server.set({ holderIdentity: "third", leaseDurationSeconds: 15 });
    await runtime.advance(0);
    assert.equal(await leader.elector.resign(), false);
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

  it("leave no timer and no watch behind", async () => {
    const { runtime, leader, standby, server } = await leaderAndStandby();
    const ended = Promise.all([standby.elector.resign(), leader.elector.resign()]);
    await runtime.advance(0);
    await ended;
    await leader.elector.resign();
    assert.equal(runtime.nextTimerMs(), undefined);
    const other = await leaderAndStandby();
    other.leader.elector.abandon();
    other.standby.elector.abandon();
    await other.runtime.advance(0);
    assert.equal(other.runtime.nextTimerMs(), undefined);
    assert.ok(server.transport.exchanges.every(({ url, aborted }) => aborted || !isWatch(url)));
  });
});

const isWatch = ({ searchParams }: URL): boolean => searchParams.has("watch");
