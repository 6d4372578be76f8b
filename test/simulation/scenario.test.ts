// Runs of scenarios: the same seed gives the same run, and a sweep finds what a restart, an old
// view or a lost answer does to an operator.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import realTimers from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
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

const setup = { operator: "boxes", resources: [Box], controlPlane: "none" } as const;

const boxes = (controllers: () => readonly Controller[]) =>
  scenario("boxes", { ...setup, controllers }, createAndGrow);

/** A failure without the number of runs before it. */
const shownOf = ({ message }: Error): string => message.replace(/\d+ of \d+ runs/, "");

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

async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
  return assert.fail("it did not fail");
}

/** Pays once for each key. */
class Bank {
  readonly payments = new Map<string, number>();

  pay(key: string, amount: number): Promise<void> {
    this.payments.set(key, amount);
    return Promise.resolve();
  }

  toJSON(): unknown {
    return { paid: [...this.payments.values()].reduce((sum, one) => sum + one, 0) };
  }
}

describe("a scenario", () => {
  it("runs the same way with the same seed", async () => {
    const { run } = boxes(sound);
    const [one, same, other] = [await run({ seed: 7 }), await run({ seed: 7 }), await run()];
    assert.equal(one.trace.text(), same.trace.text());
    assert.deepEqual(one.rests, same.rests);
    assert.notDeepEqual(one.rests, other.rests);
  });

  it("has its own time, timers and random numbers, and leaves those of others alone", async () => {
    const seen: string[] = [];
    const timed = (): readonly Controller[] => [
      defineController(Box, {
        async reconcile({ object, status }) {
          const began = Date.now();
          await new Promise((resolve) => void setTimeout(resolve, 60_000));
          await sleep(60_000);
          const tookMs = Date.now() - began;
          const { size } = object.spec;
          seen.push([tookMs, new Date().toISOString(), randomUUID(), Math.random()].join(" "));
          status({ size });
        },
      }),
    ];
    const real = Date.now();
    await boxes(timed).run();
    await boxes(timed).run();
    assert.equal(seen.length, 4);
    assert.deepEqual(seen.slice(0, 2), seen.slice(2));
    assert.match(seen[0]!, /^120000 2026-01-01T00:02:0/);
    assert.ok(Date.now() - real < 60_000 && Date.now() >= real);
    assert.notEqual(Math.random(), Math.random());
    assert.equal(setTimeout, realTimers.setTimeout);
  });

  it("refuses what reaches outside, at the place of the call", async () => {
    const calling = (): readonly Controller[] => [
      defineController(Box, {
        async reconcile() {
          await fetch("http://127.0.0.1:1");
        },
      }),
    ];
    const failure = await boxes(calling)
      .run()
      .catch((error: unknown) => error as Error);
    assert.match(
      (failure as Error).message,
      /ERR_SIMULATION_OUTSIDE: fetch\(\) within a simulated/,
    );
  });

  it("of a sound operator converges from every state", async () => {
    const { text, runs } = await boxes(sound).sweep();
    assert.match(text, /^boxes: \d+ states, all converge$/);
    assert.ok(runs > 30);
  });

  it("of an operator that keeps state in memory names the kill that shows it", async () => {
    const failure = await failureOf(boxes(forgetful).sweep({ stop: "first" }));
    assert.match(
      failure.message,
      /^ERR_SCENARIO_FAILED: boxes: 1 of \d+ runs fail\n {2}when I kill the operator after write 1 \(patch boxes\/status default\/a\), before it hears the answer; start it again:\n {4}same-end-state: at rest 1, ConfigMap default\/a is missing\n/,
    );
    assert.match(failure.message, /\n.*operator-1 {2}is killed\n.*operator-2 {2}starts\n/);
  });

  it("is explored in any order, and the plan that fails is made small and kept", async () => {
    const regressions = mkdtempSync(join(tmpdir(), "regressions-"));
    after(() => rmSync(regressions, { recursive: true }));
    const { explore } = scenario(
      "explored boxes",
      { ...setup, controllers: forgetful, regressions },
      createAndGrow,
    );
    const failure = await failureOf(explore({ runs: 50 }));
    const kept = JSON.parse(readFileSync(join(regressions, "explored-boxes.json"), "utf8")) as {
      readonly plans: readonly { readonly deeds: readonly unknown[] }[];
    };
    assert.equal(kept.plans.length, 1);
    assert.equal(kept.plans[0]?.deeds.length, 1);
    const [, requested = ""] = /HOMEOSTAT_PLAN='(.*)' node /.exec(failure.message) ?? [];
    assert.deepEqual(JSON.parse(requested), {
      scenario: "explored boxes",
      plan: kept.plans[0],
    });
    const again = await failureOf(explore({ runs: 0 }));
    assert.equal(shownOf(again), shownOf(failure));
  });

  it("in which the operator does nothing is no proof", async () => {
    const { run, sweep, explore } = scenario(
      "idle",
      { ...setup, controllers: sound },
      async () => {},
    );
    await run();
    for (const mode of [sweep, explore])
      assert.match((await failureOf(mode())).message, /_EMPTY: /);
  });

  it("of a sound operator holds in any order", async () => {
    const { text } = await boxes(sound).explore({ runs: 12 });
    assert.equal(text, "boxes: 12 states, all converge");
  });

  it("is judged by what its user says must always hold", async () => {
    const { run, sweep } = scenario(
      "kept boxes",
      {
        ...setup,
        controllers: sound,
        invariants: {
          "a label is never without its box": ({ list }) =>
            list(ConfigMap).length <= list(Box).length,
          "no box of size 2 has been deleted": ({ deleted }) =>
            deleted(Box).every(({ spec }) => spec.size !== 2),
        },
      },
      createAndGrow,
    );
    const failure = await failureOf(run());
    assert.match(
      failure.message,
      /invariants: "no box of size 2 has been deleted" does not hold after DELETED Box default\/a\n/,
    );
    assert.doesNotMatch(failure.message, /never without its box" does not hold after [AM]/);
    assert.equal((await failureOf(sweep())).message, failure.message);
  });

  it("cuts and loses calls of external systems, whose fakes outlive the operator", async () => {
    const paid = (key: (name: string) => string) =>
      scenario(
        "bills",
        {
          ...setup,
          externals: () => ({ bank: new Bank() }),
          controllers: ({ bank }) => [
            defineController(Box, {
              async reconcile({ object: { metadata, spec, status: before }, status }) {
                if (before.size === undefined) await bank.pay(key(metadata.name), spec.size);
                status({ size: spec.size });
              },
            }),
          ],
        },
        async ({ client, converge, externals: { bank } }) => {
          await client.create(Box, Box("a", { size: 3 }));
          await converge();
          assert.equal(bank.payments.has("a") || bank.payments.size > 0, true);
        },
      );
    assert.match((await paid((name) => name).sweep()).text, /all converge$/);
    const failure = await failureOf(paid(() => randomUUID()).sweep({ stop: "first" }));
    assert.match(
      failure.message,
      /when I kill the operator after write 1 \(call bank pay\).*\n.*external bank: paid is 6 instead of 3/,
    );
  });

  it("notices a value that is given twice, though another order deals them out otherwise", async () => {
    const numbered = (controllers: () => readonly Controller[]) =>
      scenario("numbered", { ...setup, controllers }, async ({ client, converge }) => {
        const names = ["a", "b", "c", "d"];
        await Promise.all(names.map((name) => client.create(Box, Box(name, { size: 1 }))));
        await converge();
      });
    const counting = (): readonly Controller[] => {
      let last = 0;
      return [
        defineController(Box, {
          async reconcile({ object, status }) {
            status({ size: object.status.size ?? ++last });
          },
        }),
      ];
    };
    const failure = await failureOf(numbered(counting).sweep({ stop: "first" }));
    assert.match(
      failure.message,
      /same-end-state: at rest 1, status.size of all objects of kind Box is 1, .* instead of 1, 2, 3, 4, in any order/,
    );
    const searching = (): readonly Controller[] => [
      defineController(Box, {
        concurrency: 1, // two at once would find the same size free
        async reconcile({ object, status, client }) {
          const taken = new Set((await client.list(Box)).map((box) => box.status?.size));
          const free = [1, 2, 3, 4, 5].find((size) => !taken.has(size));
          status({ size: object.status.size ?? free! });
        },
      }),
    ];
    assert.match((await numbered(searching).sweep()).text, /all converge$/);
  });
});
