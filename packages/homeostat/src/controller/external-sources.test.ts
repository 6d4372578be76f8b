import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import type { ExternalSource } from "./external-source.ts";
import { followSources } from "./external-sources.ts";
import { startResync } from "./periodic-resync.ts";

function arrange(source: ExternalSource) {
  const runtime = createVirtualRuntime();
  const added: string[] = [];
  const errors: string[] = [];
  const say = (): void => {};
  const following = followSources(
    { cloud: source },
    {
      clock: runtime.clock,
      queue: { add: (key, { cause } = {}) => void added.push(`${key}: ${cause?.what}`) },
      log: { debug: say, info: say, warn: say, error: (message) => void errors.push(message) },
      controller: "box",
      cluster: "",
    },
  );
  return { runtime, added, errors, following };
}

test("adds the keys of a source, opens one that fails again later, and leaves one that ends", async () => {
  let opened = 0;
  const { runtime, added, errors } = arrange(async function* () {
    opened++;
    if (opened <= 2) throw new Error(`broken ${opened}`);
    yield "ns/a";
    yield { namespace: "ns", name: "b" };
    if (opened === 3) throw new Error("broken 3");
  });
  await runtime.advance(0);
  assert.equal(opened, 1);
  await runtime.advance(999);
  assert.equal(opened, 1);
  await runtime.advance(1);
  assert.equal(opened, 2);
  await runtime.advance(1999);
  assert.equal(opened, 2);
  await runtime.advance(1);
  assert.deepEqual(added, ["ns/a: external source cloud", "ns/b: external source cloud"]);
  await runtime.advance(1000);
  assert.equal(opened, 4, "a key resets the delay");
  await runtime.advance(100_000);
  assert.equal(opened, 4, "it has ended");
  assert.deepEqual(
    errors,
    [1000, 2000, 1000].map(
      (ms, i) => `external source cloud failed, opening it again in ${ms} ms: broken ${i + 1}`,
    ),
  );
});

test("after the stop, no source is opened and no key is added", async () => {
  let opened = 0;
  let signal: AbortSignal | undefined;
  const failing = arrange(async function* () {
    if (++opened > 0) throw new Error("broken");
    yield "";
  });
  await failing.runtime.advance(0);
  failing.following.stop();
  await failing.runtime.advance(100_000);
  assert.equal(opened, 1);
  let next: (key: string) => void;
  const late = arrange(async function* (given) {
    signal = given;
    yield await new Promise<string>((resolve) => (next = resolve));
  });
  await late.runtime.advance(0);
  late.following.stop();
  assert.equal(signal?.aborted, true);
  next!("ns/late");
  await late.runtime.advance(10);
  assert.deepEqual([late.added, late.errors], [[], []]);
});

test("a resync adds all objects at low priority after each interval, until it is stopped", async () => {
  const runtime = createVirtualRuntime();
  const added: string[] = [];
  const resync = startResync({
    clock: runtime.clock,
    queue: {
      add: (key, { priority, cause } = {}) => void added.push(`${key} ${priority} ${cause?.what}`),
    },
    primary: { entries: () => [{ key: "ns/a" }, { key: "ns/b" }] as never },
    every: "10s",
  });
  await runtime.advance(9_999);
  assert.deepEqual(added, []);
  await runtime.advance(1);
  const all = ["ns/a -100 periodic resync", "ns/b -100 periodic resync"];
  assert.deepEqual(added, all);
  await runtime.advance(10_000);
  assert.deepEqual(added, [...all, ...all]);
  resync.stop();
  await runtime.advance(100_000);
  assert.equal(added.length, 4);
});
