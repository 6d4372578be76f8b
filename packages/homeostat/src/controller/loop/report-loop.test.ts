// What is said of a loop.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { describeLoop } from "./report-loop.ts";

const kind = { apiVersion: "x/v1", kind: "Part" } as Kind;
const partOf = (of: number, entries: readonly object[]) => ({
  metadata: { name: "p", namespace: "n", managedFields: entries },
  spec: { of },
});
const fieldsV1 = { "f:spec": { "f:of": {} } };
const mine = { manager: "op/box", fieldsV1 };
const theirs = { manager: "rival", fieldsV1 };
const undone = { kind, object: partOf(1, [mine]) as never };
const another = { by: "another", runs: 30, wrote: ["Part n/p"], undone } as const;

/** Describes a fight whose object is found as `states`, the last one again and again. */
async function describeFight(states: readonly unknown[]) {
  const runtime = createVirtualRuntime();
  let reads = 0;
  const client = { find: async () => states[Math.min(reads++, states.length - 1)] };
  const reporter = { client: client as never, manager: "op/box", clock: runtime.clock };
  const described = describeLoop(another, reporter);
  const readsAfter: number[] = [];
  for (let i = 0; i < 25; i++) {
    await runtime.advance(i === 0 ? 0 : 50);
    readsAfter.push(reads);
  }
  return { what: await described, reads, readsAfter };
}

describe("the description of a loop", () => {
  it("of its own making names the fields, and what to do", async () => {
    const loop = {
      by: "itself",
      runs: 21,
      wrote: ["Box status.count", "Box status.note"],
    } as const;
    const what = await describeLoop(loop, undefined as never);
    assert.match(what, /^21 consecutive reconciles .* writing Box status.count, Box status.note;/);
    const nothing = await describeLoop({ ...loop, wrote: [] }, undefined as never);
    assert.match(nothing, /writing nothing;/);
  });

  it("of retries says how often", async () => {
    const loop = { by: "retries", runs: 101, wrote: [] } as const;
    assert.match(await describeLoop(loop, undefined as never), /^101 times .* half a second/);
  });

  it("over several keys names them", async () => {
    const through = ["one of Box a", "two of Box b"];
    const loop = { by: "others", runs: 21, wrote: ["Box status.n"], through } as const;
    assert.match(
      await describeLoop(loop, undefined as never),
      /^21 times .* through one of Box a, two of Box b, writing Box status.n;/,
    );
  });

  it("with another writer names the fields and both managers", async () => {
    const { what, reads } = await describeFight([partOf(2, [mine, theirs])]);
    assert.match(what, /wrote Part n\/p \(spec\.of\), because "rival" changes each time/);
    assert.match(what, /what "op\/box" has written/);
    assert.equal(reads, 1);
  });

  it("looks twenty times, 50 ms apart, for the other writer's state", async () => {
    const same = partOf(1, [mine]);
    const { what, reads, readsAfter } = await describeFight([same]);
    assert.match(what, /wrote Part n\/p, because another client changes/);
    assert.equal(reads, 20);
    assert.deepEqual(readsAfter.slice(0, 3), [1, 2, 3]);
    const later = await describeFight([undefined, same, partOf(2, [mine, theirs])]);
    assert.match(later.what, /"rival"/);
    assert.equal(later.reads, 3);
  });

  it("without the object knows no rival", async () => {
    const { what } = await describeFight([undefined]);
    assert.match(what, /because another client changes/);
  });
});
