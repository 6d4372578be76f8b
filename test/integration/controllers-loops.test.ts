// Reconciles that trigger themselves, and writers that undo each other: they are found, named once
// and slowed down; honest progress is not.
import assert from "node:assert/strict";
import { it } from "node:test";
import { all, createManager, defineController, silentLog } from "homeostat";
import { Box, describeLaws, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("loops", ({ run, client: connect }) => {
  const watching = () => {
    const warnings: string[] = [];
    return {
      warnings,
      log: {
        ...silentLog,
        warn: (message: string) => void (/LOOP/.test(message) && warnings.push(message)),
      },
    };
  };

  it("prompt retries, random names and values that alternate are found and slowed down", async () => {
    let runs = 0;
    const controllers = {
      retries: defineController(Box, {
        reconcile({ retry }) {
          runs++;
          return retry.in(0);
        },
      }),
      names: defineController(Box, {
        owns: [Part],
        async reconcile({ object, own }) {
          runs++;
          await own(Part, [Part(`${object.metadata.name}-${runs}`, { of: "x" })]);
        },
      }),
      alternates: defineController(Box, {
        async reconcile({ object, client }) {
          runs++;
          const { name, annotations } = object.metadata;
          const at = annotations?.["laws.example.com/at"] === "a" ? "b" : "a";
          await client.patch(Box, name, {
            metadata: { annotations: { "laws.example.com/at": at } },
          });
        },
      }),
    };
    const names = { retries: /writing nothing/, names: /Part .*-\d+/, alternates: /annotations/ };
    for (const [name, controller] of Object.entries(controllers)) {
      runs = 0;
      const { warnings, log } = watching();
      await run(
        [controller],
        async (client, manager) => {
          await client.create(Box, Box("loop", {}));
          await until(() => runs > 0);
          await client.patch(Box, "loop", { type: "merge", body: { spec: { label: "again" } } });
          await until(() => warnings.length > 0);
          assert.match(warnings[0]!, /ERR_RECONCILE_LOOP: \d+ consecutive reconciles/);
          assert.match(warnings[0]!, names[name as keyof typeof names]);
          assert.ok(manager.states()[0]!.loop);
          const found = runs;
          await sleep(600);
          assert.ok(runs - found <= 5, `${name}: ${runs - found} runs within 600 ms`);
          assert.equal(warnings.length, 1);
        },
        { log },
      );
    }
  });

  it("writes through clients that the reconcile closes over are found and slowed down", async () => {
    for (const which of ["the manager's", "another"]) {
      let write = async (_at: string): Promise<void> => {};
      let runs = 0;
      const controller = defineController(Box, {
        async reconcile({ object }) {
          runs++;
          const at = object.metadata.annotations?.["laws.example.com/at"] === "a" ? "b" : "a";
          await write(at);
        },
      });
      const { warnings, log } = watching();
      await run(
        [controller],
        async (client, manager) => {
          const used = which === "another" ? await connect() : client;
          const { namespace } = client;
          write = async (at) =>
            void (await used.patch(
              Box,
              { name: "loop", namespace },
              {
                type: "merge",
                body: { metadata: { annotations: { "laws.example.com/at": at } } },
              },
            ));
          await client.create(Box, Box("loop", {}));
          await until(() => warnings.length > 0);
          assert.match(warnings[0]!, /only by themselves, writing Box .*annotations/);
          const found = runs;
          await sleep(600);
          assert.ok(runs - found <= 5, `${which}: ${runs - found} runs within 600 ms`);
          assert.ok(manager.states()[0]!.loop);
        },
        { log },
      );
    }
  });

  const at = "laws.example.com/at";
  /** The status follows an annotation, and `answer` makes the annotation follow the status. */
  const pairOf = (counted: { runs: number }, answer: (note: string) => string) => [
    defineController(Box, {
      name: "one",
      async reconcile({ object, status }) {
        counted.runs++;
        status({ note: object.metadata.annotations?.[at] ?? "0" });
      },
    }),
    defineController(Box, {
      name: "two",
      async reconcile({ object, client }) {
        const annotation = answer(object.status.note ?? "0");
        if (object.metadata.annotations?.[at] !== annotation)
          await client.patch(Box, object.metadata.name, {
            metadata: { annotations: { [at]: annotation } },
          });
      },
    }),
  ];

  it("two controllers that trigger each other are found and slowed down, also with new values", async () => {
    for (const answer of [
      (note: string) => (note === "1" ? "2" : "1"),
      (note: string) => String(Number(note) + 1),
    ]) {
      const counted = { runs: 0 };
      const { warnings, log } = watching();
      await run(
        pairOf(counted, answer),
        async (client) => {
          await client.create(Box, Box("both", {}));
          await until(() => warnings.length > 0);
          assert.match(
            warnings[0]!,
            /came back to it through (one|two) of Box \S+both, writing Box/,
          );
          await sleep(600);
          const before = counted.runs;
          await sleep(600);
          assert.ok(counted.runs - before <= 12, `${counted.runs - before} runs within 600 ms`);
        },
        { log },
      );
    }
  });

  it("a user who edits all the time is no loop for controllers that pass the edits on", async () => {
    const counted = { runs: 0 };
    const { warnings, log } = watching();
    const passOn = defineController(Box, {
      name: "one",
      async reconcile({ object, status }) {
        counted.runs++;
        const label = object.spec.label ?? "";
        status({ note: `${label} ${object.metadata.annotations?.[at]}` });
      },
    });
    const [, answers] = pairOf(counted, (note) => note.split(" ")[0]!);
    await run(
      [passOn, answers!],
      async (client) => {
        await client.create(Box, Box("edited", {}));
        for (let i = 0; i < 200; i++) {
          const body = { spec: { label: `${i % 2}` } };
          await client.patch(Box, "edited", { type: "merge", body });
          await sleep(5);
        }
        assert.ok(counted.runs > 50);
        assert.deepEqual(warnings, []);
      },
      { log },
    );
  });

  it("a status that counts to 150 is progress", async () => {
    const { warnings, log } = watching();
    const controller = defineController(Box, {
      async reconcile({ object, status }) {
        const count = object.status.count ?? 0;
        if (count < 150) status({ count: count + 1 });
      },
    });
    await run(
      [controller],
      async (client, manager) => {
        await client.create(Box, Box("counter", {}));
        await until(async () => (await client.get(Box, "counter")).status?.count === 150);
        assert.deepEqual(warnings, []);
        assert.equal(manager.states()[0]!.loop, undefined);
      },
      { log },
    );
  });

  for (const end of ["returns", "throws"] as const)
    it(`two operators that undo each other are named with the field; one ${end}`, async () => {
      let runs = 0;
      const owner = defineController(Box, {
        owns: [Part],
        async reconcile({ own, object }) {
          runs++;
          await own(Part, [Part(`${object.metadata.name}-part`, { of: "owner" })]);
          if (end === "throws") throw new Error("and it fails");
        },
      });
      const thief = defineController(Part, {
        name: "thief",
        async reconcile({ object, client }) {
          const { name } = object.metadata;
          if (object.spec.of !== "thief") await client.apply(Part, Part(name, { of: "thief" }));
        },
      });
      const { warnings, log } = watching();
      await run(
        [owner],
        async (client, manager) => {
          const options = { operator: "thieves", controllers: [thief], client, log: silentLog };
          const rival = createManager({ ...options, namespace: client.namespace });
          await rival.start();
          try {
            await client.create(Box, Box("prey", {}));
            await until(() => warnings.length > 0);
            const before = runs;
            await sleep(500);
            assert.ok(runs - before < 10, `${runs - before} runs within 500 ms`);
            assert.equal(warnings.length, 1);
            assert.match(
              warnings[0]!,
              /ERR_RECONCILE_LOOP: \d+ .* wrote Part \S+ \(spec\.of\), because "thieves\/thief" changes .* "laws\/box"/,
            );
            assert.ok(manager.states()[0]!.loop);
          } finally {
            await rival.stop();
          }
          await until(async () => (await client.get(Part, "prey-part")).spec.of === "owner");
        },
        { log },
      );
    });

  it("two controllers that apply other values to an object that both watch are slowed down", async () => {
    let runs = 0;
    const rivalOf = (name: string, of: string) =>
      defineController(Box, {
        name,
        watches: { parts: all(Part, { namespace: (box) => box.metadata.namespace }) },
        async reconcile({ object, client }) {
          runs++;
          await client.apply(Part, Part(`${object.metadata.name}-part`, { of }));
        },
      });
    const { warnings, log } = watching();
    await run(
      [rivalOf("one", "one"), rivalOf("two", "two")],
      async (client) => {
        await client.create(Box, Box("both", {}));
        await until(() => warnings.length > 0);
        assert.match(warnings.join("\n"), /because "laws\/(one|two)" changes each time what/);
        const before = runs;
        await sleep(500);
        assert.ok(runs - before < 20, `${runs - before} runs within 500 ms`);
      },
      { log },
    );
  });
});
