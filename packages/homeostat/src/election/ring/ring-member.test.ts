// A member on a scripted server with two other members' Leases: what it sends, and what becomes of
// its gate and its fence.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memberRecord } from "./member-lease.ts";
import { arrange } from "./ring-member-play.suite.ts";
import { ringSlots } from "./slot-ring.ts";
import { allSlots, noSlots, toSlotSet } from "./slot-set.ts";

describe("a member of a ring", () => {
  it("names what it wants in a Lease, lists again, and holds it", async () => {
    const { server, runtime, heard, member, owned } = arrange({});
    member.start();
    await runtime.advance(10);
    assert.deepEqual(server.sent, ["GET leases", "POST leases", "GET leases"]);
    assert.equal(owned(), ringSlots);
    const record = memberRecord(server.leases.get("orders-me")!, ringSlots);
    assert.deepEqual(
      [record.identity, record.claims, record.durationMs],
      ["me", allSlots(ringSlots), 15_000],
    );
    assert.deepEqual(heard, ["joined", "members me"]);
    await runtime.advance(5000);
    assert.deepEqual(heard, ["joined", "members me"], "nothing has changed");
    assert.equal(await member.resign(), true);
    assert.equal(server.leases.size, 0);
  });

  it("deletes the Lease of a silent one as it was seen, and then takes its slots", async () => {
    const { server, runtime, member, owned } = arrange({ other: allSlots(ringSlots) });
    member.start();
    await runtime.advance(14_000);
    assert.equal(owned(), 0);
    await runtime.advance(1500);
    assert.deepEqual(
      server.sent.filter((line) => line.startsWith("DELETE")),
      ['DELETE other {"uid":"uid-other","resourceVersion":"11"}'],
    );
    assert.equal(owned(), ringSlots);
  });

  it("takes a Lease that says nothing of slots for one with all", async () => {
    const { server, runtime, member, owned } = arrange({ other: noSlots });
    const other = server.leases.get("other")!;
    const metadata = { ...other.metadata, annotations: {} };
    server.leases.set("other", { ...other, metadata });
    member.start();
    await runtime.advance(1000);
    assert.equal(owned(), 0);
  });

  it("has lost its right and its slots when it cannot renew its Lease", async () => {
    const { server, runtime, heard, member } = arrange({});
    member.start();
    await runtime.advance(1000);
    assert.equal(member.fence.refusal("PUT", "/x"), undefined);
    assert.equal(member.gate.begin(7), true);
    server.isSilent = true;
    await runtime.advance(9500);
    assert.match(heard.at(-1)!, /^lost: its Lease was not renewed within 10 s/);
    assert.match(
      String(member.fence.refusal("PUT", "/x")),
      /PUT \/x: not sent, because this process does not share the objects by the Lease home\/orders-me/,
    );
    assert.equal(member.gate.begin(8), false);
    assert.equal(member.report().role, "ended");
  });

  it("leaves slots in which a reconcile does not end, and its Lease, to expire", async () => {
    const { server, runtime, member } = arrange({});
    member.start();
    await runtime.advance(1000);
    member.gate.begin(7);
    member.leave();
    await runtime.advance(100);
    const { claims, isLeaving } = memberRecord(server.leases.get("orders-me")!, ringSlots);
    assert.deepEqual([claims, isLeaving], [toSlotSet([7], ringSlots), true]);
    assert.equal(await member.resign(), false);
    assert.equal(server.leases.size, 1);
  });

  it("names the right that is missing in one line", async () => {
    const { server, runtime, heard, member } = arrange({});
    server.refused.set("GET", 403);
    member.start();
    await runtime.advance(13_000);
    const [line, ...others] = heard;
    assert.match(
      line!,
      /^the ring orders of Leases cannot be used, so that this replica does not share the objects: this user may not list leases/,
    );
    assert.deepEqual(others, []);
    server.refused.clear();
    await runtime.advance(3000);
    assert.deepEqual(heard.slice(1), ["joined", "members me"]);
    await member.resign();
  });

  it("leaves its Lease to expire when the server has not answered before a stop is over", async () => {
    const { server, runtime, member } = arrange({});
    member.start();
    await runtime.advance(1000);
    server.isSilent = true;
    const over = new AbortController();
    const resigned = member.resign(over.signal);
    await runtime.advance(100);
    over.abort();
    assert.equal(await resigned, false);
    assert.match(String(member.fence.refusal("PUT", "/x")), /it has stopped/);
  });

  it("renews its Lease every retry period, with what others have added to it", async () => {
    const { server, runtime, member } = arrange({});
    server.labels["added"] = "by admission";
    member.start();
    await runtime.advance(1999);
    server.sent.length = 0;
    await runtime.advance(100);
    assert.deepEqual(
      server.sent.filter((line) => !line.startsWith("GET")),
      ["PUT orders-me"],
    );
    const { metadata } = server.updates.at(-1)!;
    assert.equal(metadata.labels?.["added"], "by admission");
    assert.equal(metadata.annotations?.["noted"], "by admission");
    assert.equal(metadata.annotations?.["homeostat.dev/leaving"], undefined);
    await member.resign();
  });

  it("hears by its watch who joins and who leaves", async () => {
    const { server, runtime, heard, member, owned } = arrange({});
    member.start();
    await runtime.advance(100);
    const other = server.put("other", noSlots);
    server.tell("ADDED", other);
    await runtime.advance(10);
    assert.equal(heard.at(-1), "members id-other,me");
    assert.ok(owned() > 0 && owned() < ringSlots, String(owned()));
    server.leases.delete("other");
    server.tell("DELETED", server.newer(other));
    await runtime.advance(10);
    assert.equal(heard.at(-1), "members me");
    assert.equal(owned(), ringSlots);
    await member.resign();
  });

  it("ends, and writes nothing more, when its watch shows that its Lease is deleted", async () => {
    const { server, runtime, heard, member } = arrange({});
    member.start();
    await runtime.advance(100);
    server.sent.length = 0;
    const own = server.leases.get("orders-me")!;
    server.leases.delete("orders-me");
    server.tell("DELETED", server.newer(own));
    await runtime.advance(0);
    assert.equal(heard.at(-1), "lost: its Lease was deleted");
    assert.match(String(member.fence.refusal("PUT", "/x")), /its Lease was deleted/);
    assert.equal(member.gate.begin(7), false);
    assert.equal(member.report().role, "ended");
    await runtime.advance(20_000);
    assert.deepEqual([server.sent, runtime.nextTimerMs()], [[], undefined]);
  });

  it("knows by its clocks alone that it has lost its right, and ends at once", async () => {
    const { runtime, heard, member } = arrange({});
    member.start();
    await runtime.advance(100);
    const { monotonic } = runtime.clock;
    runtime.clock.monotonic = () => monotonic() + 10_000;
    assert.match(String(member.fence.refusal("PUT", "/x")), /ERR_ELECTION_FENCED/);
    await runtime.advance(0);
    assert.match(heard.at(-1)!, /^lost: its Lease was not renewed within 10 s/);
  });

  it("keeps its right, and the process, while it leaves and something runs", async () => {
    const arranged = arrange({});
    const { runtime, member } = arranged;
    member.start();
    await runtime.advance(100);
    assert.equal(arranged.holds(), 1);
    member.gate.begin(7);
    member.leave();
    await runtime.advance(25_000);
    assert.equal(member.report().role, "leaving");
    assert.equal(member.fence.refusal("PUT", "/x"), undefined);
    member.gate.end(7);
    await runtime.advance(100);
    assert.equal(member.report().role, "ended");
    assert.deepEqual([arranged.holds(), runtime.nextTimerMs()], [0, undefined]);
  });

  it("breaks off its requests when it ends, and leaves no timer", async () => {
    const { server, runtime, member } = arrange({});
    member.start();
    await runtime.advance(100);
    server.refused.set("PUT", 0);
    await runtime.advance(2000);
    const asked = server.transport.exchanges.find(({ request }) => request.method === "PUT")!;
    assert.equal(asked.aborted, false);
    assert.equal(await member.resign(AbortSignal.abort()), false);
    assert.match(String(member.fence.refusal("PUT", "/x")), /it has stopped/);
    assert.ok(server.transport.exchanges.every(({ aborted, url }) => aborted || !isOpen(url)));
    assert.equal(asked.aborted, true);
    assert.equal(member.report().role, "ended");
    await runtime.advance(0);
    assert.equal(runtime.nextTimerMs(), undefined);
  });

  it("leaves its Lease to expire while a write has no answer", async () => {
    const { server, runtime, member } = arrange({});
    member.start();
    await runtime.advance(1000);
    member.fence.sends(new Promise(() => {}));
    const resigned = member.resign();
    await runtime.advance(1000);
    assert.equal(await resigned, false);
    assert.ok(server.leases.has("orders-me"));
  });

  it("ends at once when the server refuses what a stop writes", async () => {
    const { server, runtime, member } = arrange({});
    member.start();
    await runtime.advance(1000);
    server.refused.set("PUT", 400);
    const resigned = member.resign();
    await runtime.advance(10);
    assert.equal(member.report().role, "ended");
    assert.equal(await resigned, false);
  });

  it("lists, and writes again soon, when another has changed its Lease", async () => {
    const { server, runtime, heard, member, owned } = arrange({});
    member.start();
    await runtime.advance(1000);
    const own = server.leases.get("orders-me")!;
    server.leases.set("orders-me", server.newer(own));
    server.refused.set("PUT", 409);
    await runtime.advance(1010);
    server.refused.clear();
    server.sent.length = 0;
    await runtime.advance(100);
    assert.equal(server.sent.at(-1), "PUT orders-me");
    const { uid, resourceVersion } = server.updates.at(-1)!.metadata;
    const { metadata } = server.newer(own);
    assert.deepEqual([uid, Number(resourceVersion) > 11], [metadata.uid, true]);
    assert.equal(owned(), ringSlots);
    assert.equal(heard.length, 2, heard.join("\n"));
    await member.resign();
  });

  it("ends when a renewal finds its Lease gone", async () => {
    const { server, runtime, heard, member } = arrange({});
    member.start();
    await runtime.advance(1000);
    server.refused.set("PUT", 404);
    await runtime.advance(1100);
    assert.equal(heard.at(-1), "lost: its Lease was deleted");
  });

  it("says once why it cannot join, and joins when it can", async () => {
    const { server, runtime, heard, member } = arrange({});
    server.refused.set("GET", 400);
    member.start();
    await runtime.advance(13_000);
    assert.equal(heard.length, 1, heard.join("\n"));
    assert.match(heard[0]!, /^the Lease home\/orders-me: .*refused: BadRequest/);
    server.refused.clear();
    server.refused.set("POST", 409);
    await runtime.advance(6000);
    assert.equal(heard.length, 1, "a name that is taken is read first");
    server.refused.clear();
    await runtime.advance(6000);
    assert.deepEqual(heard.slice(1), ["joined", "members me"]);
    await member.resign();
  });

  it("names the right to create or update, each time when it is missing anew", async () => {
    const { server, runtime, heard, member } = arrange({});
    server.refused.set("POST", 403);
    member.start();
    await runtime.advance(3000);
    assert.match(heard.join("\n"), /^the ring .* may not create leases[^\n]*$/);
    server.refused.clear();
    await runtime.advance(3000);
    for (const count of [1, 2]) {
      server.refused.set("PUT", 403);
      await runtime.advance(3000);
      server.refused.clear();
      await runtime.advance(3000);
      assert.equal(heard.filter((line) => /may not update leases/.test(line)).length, count);
    }
    await member.resign();
  });

  it("asks again when a list or a deletion has no answer", async () => {
    const { server, runtime, member, owned } = arrange({ other: allSlots(ringSlots) });
    server.refused.set("GET", 0);
    member.start();
    await runtime.advance(10_000);
    assert.equal(server.sent.filter((line) => line === "GET leases").length, 2);
    server.refused.clear();
    server.refused.set("DELETE", 0);
    await runtime.advance(30_000);
    const deletions = server.sent.filter((line) => line.startsWith("DELETE")).length;
    assert.ok(deletions > 1, `${deletions} deletions`);
    assert.equal(owned(), 0);
    server.refused.set("DELETE", 404);
    await runtime.advance(10_000);
    assert.equal(owned(), ringSlots, "another was faster");
    server.refused.clear();
    await member.resign();
  });
});

const isOpen = (url: URL): boolean =>
  url.searchParams.has("watch") || url.pathname.endsWith("orders-me");
