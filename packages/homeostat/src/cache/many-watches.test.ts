// An operator with 50 watches: what proves them alive costs little, and one silent stream among
// them is found within 10 s.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "../client/create-client.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { createCache } from "./create-cache.ts";
import { Meal } from "./informer-play.suite.ts";
import { ModelServer } from "./model-server.suite.ts";

const count = 50;

async function open(seed: number) {
  const runtime = createVirtualRuntime({ seed });
  const server = new ModelServer(runtime);
  const client = createClient({ transport: server.transport, runtime });
  const cache = createCache({ client, runtime });
  for (let i = 0; i < count; i++) cache.acquire(Meal, { labelSelector: `n=${i}` });
  cache.start();
  await runtime.advance(60_000);
  return { runtime, server, cache };
}

describe("50 watches", () => {
  it("cost about seven requests a second at rest", async () => {
    const { runtime, server, cache } = await open(1);
    const sent = server.transport.exchanges.length;
    await runtime.advance(120_000);
    const perSecond = (server.transport.exchanges.length - sent) / 120;
    assert.ok(perSecond > 6 && perSecond < 7.5, `${perSecond} a second`);
    await cache.stop();
  });

  for (const seed of [1, 2, 3])
    it(`miss nothing for longer than 10 s when one falls silent (seed ${seed})`, async () => {
      const { runtime, server, cache } = await open(seed);
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
    const { runtime, server, cache } = await open(1);
    server.silence();
    server.write("soup", "object");
    await runtime.advance(10_000);
    assert.ok(cache.informers().every((informer) => informer.stats().objects === 1));
    await cache.stop();
  });
});
