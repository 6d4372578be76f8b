// Candidates that lack rights to the Lease, or cannot read it: what they say, and that they are not
// ready.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { arrange, leaderAndStandby } from "./elector-play.suite.ts";
import { createLeaseServer } from "./lease-server.suite.ts";

describe("electors without a right", () => {
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

  it("that cannot read the Lease are not ready, and say why", async () => {
    const server = createLeaseServer();
    server.isSilent = true;
    const { runtime, stand } = arrange(undefined, server);
    const { elector } = stand("two");
    await runtime.advance(4900);
    assert.deepEqual(elector.reasons(), []);
    await runtime.advance(200);
    assert.match(
      elector.reasons().join(),
      /^the Lease home\/op cannot be read: .*no answer within 5000 ms/,
    );
    server.isSilent = false;
    await runtime.advance(5000);
    assert.equal(elector.report().role, "leading");
    assert.deepEqual(elector.reasons(), []);
  });

  it("that may read and not update name that right", async () => {
    const server = createLeaseServer();
    server.set({ holderIdentity: "", leaseDurationSeconds: 1 });
    server.refused.add("PUT");
    const { runtime, stand } = arrange(undefined, server);
    const { elector, said } = stand("two");
    await runtime.advance(8000);
    assert.match(said().join("\n"), /^holder undefined\nwarn .* may not update leases/);
    server.refused.clear();
    await runtime.advance(8000);
    assert.deepEqual([elector.report().role, elector.reasons()], ["leading", []]);
  });

  it("that may watch again do not say that they may not", async () => {
    const server = createLeaseServer();
    server.refusesWatches = true;
    const { runtime, stand } = arrange(undefined, server);
    const { said } = stand("two");
    await runtime.advance(100);
    server.refusesWatches = false;
    await runtime.advance(8000);
    server.refusesWatches = true;
    server.breakWatches();
    await runtime.advance(8000);
    assert.equal(said().filter((line) => line.includes("cannot be watched")).length, 2);
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
});
