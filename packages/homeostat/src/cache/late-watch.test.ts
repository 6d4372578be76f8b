// A watch whose bytes come late, and one whose lines cannot be read: neither keeps the cache blind.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "../client/create-client.ts";
import type { ScriptedExchange } from "../client/scripted-transport.suite.ts";
import { createScriptedTransport } from "../client/scripted-transport.suite.ts";
import { createVirtualRuntime, type VirtualRuntime } from "../runtime/virtual-runtime.ts";
import { createCache } from "./create-cache.ts";
import { bookmark, event, home, Meal, meal, playSynced } from "./informer-play.suite.ts";

/** Answers watches as a server does, with all but the heads `lateMs` late; the list is in time. */
function slowServer(runtime: VirtualRuntime, lateMs: number) {
  let revision = 5;
  const watches: number[] = [];
  const transport = createScriptedTransport((exchange: ScriptedExchange) => {
    const { timeoutSeconds, sendInitialEvents } = exchange.query;
    exchange.head();
    if (sendInitialEvents)
      return void exchange.lines(event("ADDED", meal("soup", "5")), bookmark("5", true));
    watches.push(runtime.clock.monotonic());
    const later = (ms: number, send: () => void): void =>
      void runtime.clock.timer(ms + lateMs, () => !exchange.aborted && send());
    const endMs = Number(timeoutSeconds) * 1000;
    for (let at = 0; at < endMs; at += 500)
      later(at, () => exchange.lines(event("MODIFIED", meal("soup", String(revision)))));
    later(endMs, () => exchange.end());
  });
  return { transport, watches, write: () => void revision++ };
}

describe("a late watch", () => {
  for (const lateMs of [1500, 2500, 4000, 5000])
    it(`shows changes though all comes ${lateMs} ms late`, async () => {
      const runtime = createVirtualRuntime();
      const { transport, watches, write } = slowServer(runtime, lateMs);
      const client = createClient({ transport, runtime, namespace: "home" });
      const cache = createCache({ client, runtime });
      const { informer } = cache.acquire(Meal);
      cache.start();
      await runtime.advance(40_000);
      assert.equal(informer.freshness().ready, true);
      let seen = 0;
      informer.addHandler({ updated: () => seen++ });
      for (let i = 0; i < 6; i++) {
        write();
        await runtime.advance(10_000);
        assert.equal(informer.freshness().ready, true);
      }
      assert.ok(seen >= 5, `${seen} of 6`);
      const last = watches.filter((at) => at > 40_000).length;
      assert.ok(last <= 20, `${last} watches in 60 s`);
      await cache.stop();
    });

  it("is no longer heard once it has been silent for as long as a watch lives", async () => {
    const { transport, runtime, cache } = await playSynced();
    await runtime.advance(7000);
    const silent = transport.last.head();
    await runtime.advance(1700);
    assert.equal(silent.aborted, false);
    await runtime.advance(7000);
    assert.equal(silent.aborted, true);
    await cache.stop();
    await runtime.advance(100_000);
    assert.equal(runtime.nextTimerMs(), undefined);
  });
});

describe("events that cannot be read", () => {
  const lines: Readonly<Record<string, object | string>> = {
    "no JSON": "<html>oops</html>",
    "an unknown type": event("SYNCED", meal("soup", "6")),
    "a bookmark without a revision": event("BOOKMARK", { kind: "Meal", metadata: {} }),
  };
  for (const [what, line] of Object.entries(lines))
    it(`are got past, and named once: ${what}`, async () => {
      const { transport, runtime, informer, faults } = await playSynced();
      const sendBad = async (): Promise<void> => {
        if (typeof line === "string") transport.last.chunk(`${line}\n`);
        else transport.last.lines(line);
        const sent = transport.exchanges.length;
        while (transport.exchanges.length === sent) await runtime.advance(100);
        transport.last.head();
      };
      await sendBad();
      assert.equal(transport.last.query["resourceVersion"], "5");
      await sendBad();
      assert.equal(transport.last.query["sendInitialEvents"], "true");
      transport.last.lines(event("ADDED", meal("soup", "6")), bookmark("7", true));
      assert.equal(informer.get(home("soup"))?.metadata.resourceVersion, "6");
      await sendBad();
      await sendBad();
      assert.equal(faults.length, 1);
      assert.match(String(faults[0]), /ERR_CLIENT_WATCH_EVENT: watching Meal: listing anew/);
    });
});
