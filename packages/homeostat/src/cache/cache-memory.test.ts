// What a cache keeps alive: the present revisions and nothing else, and the figures show it.
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, it } from "node:test";
import { event, home, Meal, meal, play, type Play, playSynced } from "./informer-play.suite.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const big = (resourceVersion: string, fill: string): object => ({
  ...meal("soup", resourceVersion),
  data: { text: fill.repeat(100_000) },
});

async function updateAndRead({ transport, runtime, informer }: Play, times: number): Promise<void> {
  const watch = transport.last;
  for (let i = 0; i < times; i++) {
    watch.lines(event("MODIFIED", big(String(10 + i), String(i % 10))));
    assert.equal(informer.get(home("soup"))?.metadata.resourceVersion, String(10 + i));
  }
  transport.exchanges.splice(0, transport.exchanges.length - 1);
  await runtime.advance(0);
}

describe("memory of a cache", () => {
  it("holds one revision of an object that is updated and read 600 times", async () => {
    const playing = await playSynced({ frozen: false });
    playing.informer.addHandler({ updated: (old, next) => void [old.read(), next.read()] });
    await updateAndRead(playing, 20);
    collect();
    const before = process.memoryUsage().heapUsed;
    await updateAndRead(playing, 600);
    collect();
    const grown = process.memoryUsage().heapUsed - before;
    assert.ok(grown < 5_000_000, `the heap grew by ${grown} bytes`);
    assert.deepEqual([playing.cache.parsed().objects, playing.informer.stats().parsed], [1, 1]);
  });

  it("counts the text of parsed objects, own writes included", async () => {
    const { informer, cache, client, transport, runtime } = await playSynced();
    const empty = informer.stats();
    assert.deepEqual([empty.parsed, empty.parsedBytes], [0, 0]);
    informer.get(home("soup"));
    const one = informer.stats();
    assert.ok(one.parsedBytes > 100 && one.parsedBytes < one.bytes);
    assert.equal(cache.parsed().bytes, one.parsedBytes);
    const writing = client.update(Meal, big("3", "x") as never);
    await runtime.advance(0);
    transport.last.answer(200, big("9", "x"));
    await writing;
    assert.ok(informer.stats().bytes > one.bytes + 100_000, "the own write counts");
    informer.get(home("soup"));
    assert.ok(informer.stats().parsedBytes > 100_000);
    assert.equal(cache.parsed().bytes, informer.stats().parsedBytes);
  });

  it("frees own writes that the watch has passed, deleted objects and stopped informers", async () => {
    const { informer, cache, client, transport, runtime } = await playSynced();
    const watch = transport.last;
    for (const revision of ["9", "10"]) {
      const writing = client.update(Meal, meal("soup", "3"));
      await runtime.advance(0);
      transport.last.answer(200, meal("soup", revision));
      await writing;
      informer.get(home("soup"));
    }
    informer.get(home("stew"));
    assert.equal(cache.parsed().objects, 2);
    watch.lines(event("MODIFIED", meal("soup", "10")));
    assert.equal(cache.parsed().objects, 2, "the own write is the cached object now");
    watch.lines(event("DELETED", meal("stew", "11")));
    assert.equal(cache.parsed().objects, 1);
    watch.lines(event("MODIFIED", meal("soup", "12")));
    assert.equal(cache.parsed().objects, 0);
    informer.get(home("soup"));
    assert.equal(cache.parsed().objects, 1);
    await cache.stop();
    assert.equal(cache.parsed().objects, 0);
  });

  it("limits parsed objects by size too", async () => {
    const { informer, cache, transport } = await play({ maxParsedBytes: 150_000 });
    transport.last.head().lines(
      event("ADDED", big("3", "a")),
      event("ADDED", { ...big("4", "b"), metadata: meal("stew", "4").metadata }),
      event("BOOKMARK", {
        metadata: {
          resourceVersion: "5",
          annotations: { "k8s.io/initial-events-end": "true" },
        },
      }),
    );
    informer.get(home("soup"));
    informer.get(home("stew"));
    assert.equal(informer.stats().parsed, 1);
    assert.ok(cache.parsed().bytes < 150_000);
  });
});
