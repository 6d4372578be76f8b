// A blind informer is unready within 10 s, however it was blinded and however many there are.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ModelServer, openModelCache } from "./model-server.suite.ts";

const limitMs = 10_000;

const blindings: Readonly<Record<string, (server: ModelServer) => void>> = {
  "the server is gone"(server) {
    server.misbehaviour = "cut";
    server.cut();
  },
  "all connections are silent, new ones too"(server) {
    server.misbehaviour = "hang";
    server.silence();
  },
  "all streams are silent, and new ones say no more than that they are open"(server) {
    server.misbehaviour = "silent";
    server.silence();
  },
  "one stream is silent, and its successors"(server) {
    server.misbehaviour = "silent";
    server.victims = server.silence(1);
  },
  "one stream is silent, and has no successor"(server) {
    server.misbehaviour = "hang";
    server.victims = server.silence(1);
  },
};

for (const [what, blind] of Object.entries(blindings))
  describe(`informers are unready within 10 s: ${what}`, () => {
    for (const count of [1, 7, 8, 30])
      it(`${count} of them`, async () => {
        for (const afterMs of [0, 2900, 6100, 7900]) {
          const { runtime, server, cache } = await openModelCache(count, count);
          await runtime.advance(afterMs);
          const unready = (): number =>
            cache.informers().filter((informer) => !informer.freshness().ready).length;
          assert.equal(unready(), 0);
          blind(server);
          const since = runtime.clock.monotonic();
          const expected = server.victims?.size ?? count;
          while (unready() < expected && runtime.clock.monotonic() - since < 2 * limitMs)
            await runtime.advance(100);
          const tookMs = runtime.clock.monotonic() - since;
          assert.ok(tookMs <= limitMs, `${tookMs} ms, begun at ${afterMs}`);
          await cache.stop();
        }
      });
  });
