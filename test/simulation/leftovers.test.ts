// What a scenario leaves behind, and what it gives to the code within: nothing stays replaced or in
// memory, and all that tells the time or chance is repeated.
import assert from "node:assert/strict";
import crypto from "node:crypto";
import { describe, it } from "node:test";
import { scheduler, setInterval as setIntervalOfPromises } from "node:timers/promises";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Controller, defineController, defineResource } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { scenario } from "@homeostat/testing";

const Box = defineResource({
  group: "test.example.com",
  version: "v1",
  kind: "Box",
  spec: z.object({ size: z.int() }),
  status: z.object({ size: z.int() }),
});

const boxes = (controllers: () => readonly Controller[]) =>
  scenario(
    "boxes",
    { operator: "boxes", resources: [Box], controlPlane: "none", controllers },
    async ({ client, converge }) => {
      await client.create(Box, Box("a", { size: 1 }));
      await converge();
      await client.patch(Box, "a", { type: "merge", body: { spec: { size: 2 } } });
    },
  );

const labels = (name: string, size: number) => ConfigMap(name, { data: { size: String(size) } });

const sound = (): readonly Controller[] => [
  defineController(Box, {
    owns: [ConfigMap],
    async reconcile({ object, own, status }) {
      await own(ConfigMap, [labels(object.metadata.name, object.spec.size)]);
      status({ size: object.spec.size });
    },
  }),
];

async function failureOf(work: Promise<unknown>): Promise<Error> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  }
  return assert.fail("it did not fail");
}

describe("a world that is over", () => {
  it("leaves nothing replaced, though its operator cannot even be made", async () => {
    const before = [Date, setTimeout, process.hrtime, Math.random];
    const cannot = (): never => {
      throw new Error("no glue");
    };
    const operator = { operator: "boxes", controlPlane: "none" } as const;
    const nothing = async (): Promise<void> => {};
    for (const setup of [
      { ...operator, controllers: cannot },
      { ...operator, controllers: sound, externals: cannot },
    ])
      assert.match((await failureOf(scenario("unmade", setup, nothing).run())).message, /no glue/);
    assert.deepEqual([Date, setTimeout, process.hrtime, Math.random], before);
    assert.ok(
      !Object.hasOwn(performance, "now") && !Object.hasOwn(globalThis.crypto, "randomUUID"),
    );
  });

  it("names why its operator cannot be started again", async () => {
    let starts = 0;
    const once = (): readonly Controller[] => {
      if (++starts % 2 === 0 && starts > 6) throw new Error("no glue left");
      return sound();
    };
    const failure = await failureOf(boxes(once).sweep({ stop: "first" }));
    assert.match(failure.message, /no glue left/);
  });

  it("leaves nothing in memory", async () => {
    const made: WeakRef<Controller>[] = [];
    const { run } = boxes(() => {
      const controllers = sound();
      made.push(new WeakRef(controllers[0]!));
      return controllers;
    });
    for (let i = 0; i < 4; i++) await run();
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    await new Promise((resolve) => void setImmediate(resolve));
    collect();
    // The last one may still be in a register.
    assert.deepEqual(
      made.slice(0, 3).map((one) => one.deref()),
      [undefined, undefined, undefined],
    );
  });
});

describe("what Node gives to a simulated process", () => {
  const repeats = async (ask: () => unknown): Promise<readonly unknown[]> => {
    const seen: unknown[] = [];
    const asking = (): readonly Controller[] => [
      defineController(Box, {
        async reconcile({ object, status }) {
          seen.push(await ask());
          status({ size: object.spec.size });
        },
      }),
    ];
    await boxes(asking).run();
    const one = seen.splice(0);
    await boxes(asking).run();
    assert.deepEqual(seen, one);
    return one;
  };

  for (const [name, ask] of Object.entries({
    getRandomValues: () => [...globalThis.crypto.getRandomValues(new Uint8Array(4))],
    "getRandomValues of node:crypto": () => [...crypto.getRandomValues(new Uint8Array(4))],
    randomInt: () => crypto.randomInt(10, 1_000_000_000),
    randomFillSync: () => [...crypto.randomFillSync(Buffer.alloc(8), 2)],
    "randomBytes with a callback": () =>
      new Promise((resolve) => void crypto.randomBytes(4, (_, bytes) => resolve(bytes.join()))),
    hrtime: () => process.hrtime(),
    "hrtime.bigint": () => process.hrtime.bigint(),
  }))
    it(`${name} is the same with the same seed`, async () => {
      assert.ok((await repeats(ask)).length > 0);
    });

  for (const [name, wait] of Object.entries({
    "promisify(setTimeout)": () => promisify(setTimeout)(90_000),
    "scheduler.wait": () => scheduler.wait(90_000),
    "setInterval of promises": async () => {
      for await (const _ of setIntervalOfPromises(90_000)) return;
    },
  }))
    it(`${name} waits in virtual time`, async () => {
      const took = await repeats(async () => {
        const began = Date.now();
        await wait();
        return Date.now() - began;
      });
      assert.equal(took[0], 90_000);
    });
});

it("an operator that writes no status but that of its failures holds in every state", async () => {
  const mute = (): readonly Controller[] => [
    defineController(Box, {
      owns: [ConfigMap],
      async reconcile({ object, own }) {
        await own(ConfigMap, [labels(object.metadata.name, object.spec.size)]);
      },
    }),
  ];
  await boxes(mute).sweep();
});
