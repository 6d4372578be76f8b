// An hour of faults in virtual time, several times over: no object is lost or invented, what
// handlers were told is what reads show, and the cache is right within 3 s of the end of each
// fault: 4.5 s where requests hung, of which the last is given up after 2.5 s.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "../client/create-client.ts";
import { createVirtualRuntime, type VirtualRuntime } from "../runtime/virtual-runtime.ts";
import { createCache } from "./create-cache.ts";
import type { CachedObject } from "./informer.ts";
import { Meal } from "./informer-play.suite.ts";
import { type Misbehaviour, ModelServer } from "./model-server.suite.ts";

const hourMs = 3_600_000;
const stepMs = 250;
const names = Array.from({ length: 12 }, (_, i) => `m${i}`);
const misbehaviours: readonly Misbehaviour[] = ["hang", "silent", "cut", 500, 503, 429, 401, 410];

/** Repeatable random numbers below `n`, apart from those of the program under test. */
function dice(seed: number): (n: number) => number {
  const { entropy } = createVirtualRuntime({ seed });
  return (n) => (entropy.bytes(4).reduce((sum, byte) => sum * 256 + byte, 0) >>> 0) % n;
}

type Roll = ReturnType<typeof dice>;

/** Changes objects at random for a while; the state goes on behind faults. */
async function live(runtime: VirtualRuntime, server: ModelServer, ms: number, roll: Roll) {
  for (let at = 0; at < ms; at += stepMs) {
    if (roll(4) === 0)
      server.write(names[roll(names.length)]!, roll(4) === 0 ? "nothing" : "object");
    await runtime.advance(stepMs);
  }
}

/** Breaks what is open in one of many ways, and has new requests fail for a while; or restores. */
async function fault(runtime: VirtualRuntime, server: ModelServer, roll: Roll): Promise<void> {
  if (roll(5) === 0) return restore(runtime, server, roll);
  if (roll(3) === 0) server.compact();
  const how = roll(4);
  if (how === 0) server.cut('{"type":"MODI');
  else if (how === 1) server.silence();
  else server.cut();
  if (roll(2) === 0) server.misbehaviour = misbehaviours[roll(misbehaviours.length)]!;
  await live(runtime, server, 1000 + roll(30_000), roll);
  const wasHanging = server.misbehaviour === "hang";
  server.misbehaviour = "none";
  if (wasHanging) await runtime.advance(1500);
  if (how === 1) await live(runtime, server, 9000, roll);
}

/**
 * The server comes back from a backup: it counts from an earlier revision, and names that were
 * taken since may be taken again by objects with other uids.
 */
async function restore(runtime: VirtualRuntime, server: ModelServer, roll: Roll): Promise<void> {
  server.backUp();
  await live(runtime, server, 15_000 + roll(15_000), roll);
  server.cut();
  if (roll(2) === 0) {
    server.misbehaviour = "cut";
    await runtime.advance(roll(10_000));
    server.misbehaviour = "none";
  }
  server.restore();
  await live(runtime, server, roll(2000), roll);
}

const shown = (objects: Iterable<readonly [string, { uid: string; revision: number }]>) =>
  Array.from(objects, ([name, { uid, revision }]) => `${name} ${uid} ${revision}`).toSorted();

async function hour(seed: number): Promise<number> {
  const runtime = createVirtualRuntime({ seed });
  const server = new ModelServer(runtime);
  const client = createClient({ transport: server.transport, runtime, namespace: "home" });
  const errors: unknown[] = [];
  const cache = createCache({ client, runtime, onError: (error) => errors.push(error) });
  const { informer } = cache.acquire(Meal);
  const told = new Map<string, { uid: string; revision: number }>();
  const tell = ({ name, uid, resourceVersion }: CachedObject): void =>
    void told.set(name, { uid, revision: Number(resourceVersion) });
  informer.addHandler({
    added(object) {
      assert.ok(!told.has(object.name), "nothing is added twice");
      tell(object);
    },
    updated(old, object) {
      assert.equal(told.get(object.name)?.revision, Number(old.resourceVersion));
      tell(object);
    },
    deleted({ name, uid }) {
      assert.equal(told.get(name)?.uid, uid, "what is deleted was there");
      told.delete(name);
    },
  });
  const roll = dice(seed + 1000);
  cache.start();
  let faults = 0;
  for (; runtime.clock.monotonic() < hourMs; faults++) {
    await live(runtime, server, roll(20_000), roll);
    await fault(runtime, server, roll);
    await runtime.advance(3000);
    assert.deepEqual(shown(told), shown(server.objects), `seed ${seed}, fault ${faults}`);
    assert.deepEqual(
      informer
        .list()
        .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
        .toSorted(),
      shown(server.objects),
    );
  }
  assert.deepEqual(errors, []);
  await cache.stop();
  return faults;
}

describe("an hour of faults", () => {
  for (const seed of [1, 2])
    it(`loses and invents nothing, and is over 3 s after each (seed ${seed})`, async () => {
      assert.ok((await hour(seed)) > 80);
    });
});
