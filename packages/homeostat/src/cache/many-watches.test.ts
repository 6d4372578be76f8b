// An operator with 50 watches: what proves them alive costs little, and one silent stream among
// them is found within 10 s.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openModelCache } from "./model-server.suite.ts";

const count = 50;

describe("50 watches", () => {
  it("cost about seven requests a second at rest", async () => {
    const { runtime, server, cache } = await openModelCache(count, 1);
    const sent = server.transport.exchanges.length;
    await runtime.advance(120_000);
    const perSecond = (server.transport.exchanges.length - sent) / 120;
    assert.ok(perSecond > 6 && perSecond < 7.5, `${perSecond} a second`);
    await cache.stop();
  });

  for (const seed of [1, 2, 3])
    it(`miss nothing for longer than 10 s when one falls silent (seed ${seed})`, async () => {
      const { runtime, server, cache } = await openModelCache(count, seed);
      server.silence(1);
      server.write("soup", "object");
      await runtime.advance(0);
      const seen = (): number =>
        cache.informers().filter((informer) => informer.stats().objects === 1).length;
      assert.ok(seen() < count);
      const since = runtime.clock.monotonic();
      while (seen() < count) await runtime.advance(100);
      const blindMs = runtime.clock.monotonic() - since;
      assert.ok(blindMs <= 10_000, `${blindMs} ms`);
      await cache.stop();
    });

  it("are all back within 10 s when all fall silent, because one is always about to be renewed", async () => {
    const { runtime, server, cache } = await openModelCache(count, 1);
    server.silence();
    server.write("soup", "object");
    await runtime.advance(10_000);
    assert.ok(cache.informers().every((informer) => informer.stats().objects === 1));
    await cache.stop();
  });
});
