import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../api/kind.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import type { ExternalSource } from "./external-source.ts";
import { followSources } from "./external-sources.ts";
import { currentRun } from "./run/current-run.ts";
import type { RunScope } from "./run/run-scope.ts";
import { startResync } from "./periodic-resync.ts";
import { WarnOnce } from "./warn-once.ts";

function arrange(source: ExternalSource, scope: Kind["scope"] = "Namespaced") {
  const runtime = createVirtualRuntime();
  const added: string[] = [];
  const errors: string[] = [];
  const warned: string[] = [];
  const say = (): void => {};
  const warn = (message: string, fields: object = {}): void =>
    void warned.push(`${message}; ${(fields as { readonly hint?: string }).hint}`);
  const log = { debug: say, info: say, warn, error: (line: string) => void errors.push(line) };
  const following = followSources(
    { cloud: source },
    {
      clock: runtime.clock,
      queue: { add: (key, { cause } = {}) => void added.push(`${key}: ${cause?.what}`) },
      log,
      warnings: new WarnOnce(log),
      controller: "box",
      kind: { apiVersion: "x/v1", kind: "Box", resource: "boxes", scope } as Kind,
      cluster: "",
    },
  );
  return { runtime, added, errors, warned, following };
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

test("values that are no keys of the kind are named once and add nothing; the source goes on", async () => {
  const noKeys = ["a", "", "ns/", "/a", "a/b/c", { name: "a" }, { namespace: "ns" }, undefined, 7];
  const namespaced = arrange(async function* () {
    yield* noKeys as string[];
    yield "ns/a";
  });
  await namespaced.runtime.advance(10);
  assert.deepEqual(namespaced.added, ["ns/a: external source cloud"]);
  assert.deepEqual(namespaced.errors, []);
  assert.deepEqual(namespaced.warned, [
    `external source cloud of "box" yielded 'a', which is not the key of a Box; such values reconcile nothing; yield \`namespace/name\`, or { namespace, name }`,
  ]);
  const clusterWide = arrange(async function* () {
    yield* ["ns/a", { namespace: "ns", name: "a" }, null] as string[];
    yield* ["a", { name: "b" }];
  }, "Cluster");
  await clusterWide.runtime.advance(10);
  assert.deepEqual(clusterWide.added, ["a: external source cloud", "b: external source cloud"]);
  assert.equal(clusterWide.warned.length, 1);
  assert.match(clusterWide.warned[0]!, /yielded 'ns\/a'.*yield the name, or \{ name \}$/);
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

test("nothing is kept of what a source writes, however long it goes on", async () => {
  let run: RunScope | undefined;
  const { runtime, following } = arrange(async function* (signal) {
    run = currentRun.getStore() as RunScope;
    run.wrote({ kind: { apiVersion: "x/v1", kind: "Box" } as Kind, key: { name: "a" } } as never);
    yield "ns/a";
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  await runtime.advance(0);
  assert.deepEqual(run?.record.writes(), []);
  following.stop();
});
