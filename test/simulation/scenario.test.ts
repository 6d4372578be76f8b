// Runs of scenarios: the same seed gives the same run, and a sweep finds what a restart, an old
// view or a lost answer does to an operator.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Controller, defineController, defineResource } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { scenario, type Workload } from "@homeostat/testing";

const Box = defineResource({
  group: "test.example.com",
  version: "v1",
  kind: "Box",
  spec: z.object({ size: z.int() }),
  status: z.object({ size: z.int() }),
  conditions: ["Ready"],
});

const labels = (name: string, size: number) => ConfigMap(name, { data: { size: String(size) } });

const createAndGrow: Workload = async ({ client, converge }) => {
  await client.create(Box, Box("a", { size: 1 }));
  await converge();
  await client.patch(Box, "a", { type: "merge", body: { spec: { size: 2 } } });
  await converge();
  await client.delete(Box, "a");
};

const boxes = (controllers: () => readonly Controller[]) =>
  scenario(
    "boxes",
    { operator: "boxes", resources: [Box], controllers, controlPlane: "none" },
    createAndGrow,
  );

const sound = (): readonly Controller[] => [
  defineController(Box, {
    owns: [ConfigMap],
    async reconcile({ object, own, status }) {
      await own(ConfigMap, [labels(object.metadata.name, object.spec.size)]);
      status({ size: object.spec.size });
    },
  }),
];

/** It knows only in its memory that it has begun. */
function forgetful(): readonly Controller[] {
  const begun = new Set<string>();
  return [
    defineController(Box, {
      owns: [ConfigMap],
      async reconcile({ object, own, status }) {
        const { name } = object.metadata;
        if (object.status.size === undefined) begun.add(name);
        else if (begun.has(name)) await own(ConfigMap, [labels(name, object.spec.size)]);
        status({ size: object.spec.size });
      },
    }),
  ];
}

describe("a scenario", () => {
  it("runs the same way with the same seed", async () => {
    const { run } = boxes(sound);
    const [one, same, other] = [await run({ seed: 7 }), await run({ seed: 7 }), await run()];
    assert.equal(one.trace.text(), same.trace.text());
    assert.deepEqual(one.rests, same.rests);
    assert.notDeepEqual(one.rests, other.rests);
  });

  it("of a sound operator converges from every state", async () => {
    const { text, runs } = await boxes(sound).sweep();
    assert.match(text, /^boxes: \d+ states, all converge$/);
    assert.ok(runs > 80);
  });

  it("of an operator that keeps state in memory names the kill that shows it", async () => {
    const failure = await boxes(forgetful)
      .sweep()
      .catch((error: unknown) => error as Error);
    assert.ok(failure instanceof Error);
    assert.match(
      failure.message,
      /^ERR_SCENARIO_FAILED: boxes: \d+ of \d+ runs fail\n {2}when I kill the operator after write 1 \(patch boxes\/status default\/a\), before it hears the answer; start it again:\n {4}same-end-state: at rest 1, ConfigMap default\/a is missing\n/,
    );
    assert.match(failure.message, /\n.*operator-1 {2}is killed\n.*operator-2 {2}starts\n/);
  });
});
