// A controller depends on what it declares. What it reads beside that, and writes from, is
// reported once, by name.
import assert from "node:assert/strict";
import { it } from "node:test";
import { all, type Context, defineController, type Manager, ref, silentLog } from "homeostat";
import type { Client } from "homeostat/client";
import { ConfigMap, Event, Secret } from "homeostat/k8s/core/v1";
import { recordLog } from "../fixtures/hear-manager.ts";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

type BoxContext = Context<typeof Box, typeof ConfigMap>;

/** A controller of boxes that owns ConfigMaps; reconcile is `work`. */
const boxes = (
  work: (context: BoxContext) => Promise<void>,
  reads: { readonly kinds?: readonly (typeof Secret | typeof ConfigMap)[] } = {},
) => defineController(Box, { owns: [ConfigMap], reads, reconcile: (context) => work(context) });

const breachesOf = (manager: Manager): readonly string[] =>
  manager.breaches().map(({ code, message }) => `${code}: ${message}`);

/** Reconciles a new box `name` and reconciles it once more, and waits until it rests. */
async function reconcileTwice(client: Client, manager: Manager, name: string): Promise<void> {
  const rests = () =>
    manager.isIdle() &&
    manager
      .states()
      .some(({ key, progress }) => key.endsWith(`/${name}`) && progress.at === "done");
  await client.create(Box, Box(name, { label: "one" }));
  await until(rests);
  await client.patch(Box, name, { type: "merge", body: { spec: { label: "two" } } });
  await until(async () => (await client.get(Box, name)).metadata.generation === 2 && rests());
}

describeLaws("boundaries", ({ run }) => {
  it("names what was read and not declared, once per controller and kind", async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
    const controller = boxes(async ({ client, object, status }) => {
      const token = await client.get(Secret, "token");
      const others = await client.list(Secret);
      status({ note: `${object.spec.label} ${token?.type} ${others.length}` });
    });
    await run(
      [controller],
      async (client, manager) => {
        await client.create(Secret, Secret("token", { data: {} }));
        await reconcileTwice(client, manager, "leaky");
        const [breach, ...others] = manager.breaches();
        assert.deepEqual(others, []);
        const read = `Secret ${client.namespace}/token`;
        assert.deepEqual(breach, {
          controller: "box",
          code: "ERR_READ_UNDECLARED",
          object: `Box ${client.namespace}/leaky`,
          message: `"box" sets its status after it has read ${read}, which it does not declare: a change of it reconciles no Box`,
          hint: "declare Secret in `refs` or `watches`; if its changes need not reconcile, list it in `reads: { kinds }`",
        });
        assert.deepEqual(
          warnings.filter((line) => line.includes("ERR_READ")),
          [`ERR_READ_UNDECLARED: ${breach!.message}`],
        );
        const events = async () =>
          (await client.list(Event, { namespace: client.namespace })).items
            .filter(({ reason }) => reason === "UndeclaredRead")
            .map(({ involvedObject, message, type }) => [involvedObject.name, type, message]);
        await until(async () => (await events()).length > 0);
        assert.deepEqual(await events(), [["leaky", "Warning", breach!.message]]);
      },
      { log },
    );
  });

  const leaks: readonly (readonly [string, RegExp, (context: BoxContext) => Promise<void>])[] = [
    [
      "a condition from a list",
      /sets its status after it has read a list of secrets/,
      async ({ client, condition }) => {
        const { length } = await client.list(Secret);
        condition("Ready", length > 0 ? "True" : "False", "Counted");
      },
    ],
    [
      "a child from an object that does not exist",
      /writes its configmaps after it has read Secret [\w-]+\/none,/,
      async ({ client, own, object }) => {
        const found = await client.get(Secret, "none");
        const { name } = object.metadata;
        await own(ConfigMap, found ? [] : [ConfigMap(`${name}-a`, { data: { a: "b" } })]);
      },
    ],
    [
      "another object of its own kind",
      /sets its status after it has read Box [\w-]+\/other,/,
      async ({ client, object, status }) => {
        if (object.metadata.name === "other") return;
        status({ note: (await client.get(Box, "other"))?.metadata.name ?? "none" });
      },
    ],
    [
      "an object of an owned kind that is no child",
      /client.patch\(Part p\) after it has read ConfigMap [\w-]+\/shared,/,
      async ({ client }) => {
        await client.get(ConfigMap, "shared");
        await client.patch(Part, "p", { spec: { of: "b" } });
      },
    ],
    [
      "status from an object that it also writes",
      /sets its status after it has read Part [\w-]+\/p,/,
      async ({ client, status }) => {
        const part = await client.get(Part, "p");
        await client.patch(Part, "p", { spec: { of: "b" } });
        status({ note: part?.spec.of ?? "" });
      },
    ],
  ];
  for (const [what, expected, work] of leaks)
    it(`reports ${what}`, async () => {
      await run([boxes(work)], async (client, manager) => {
        await client.create(Part, Part("p", { of: "a" }));
        await client.create(Box, Box("other", {}));
        await client.create(ConfigMap, ConfigMap("shared", { data: {} }));
        await reconcileTwice(client, manager, "leaky");
        assert.equal(breachesOf(manager).length, 1, breachesOf(manager).join("\n"));
        assert.match(breachesOf(manager)[0]!, expected);
      });
    });

  const sound: readonly (readonly [string, (context: BoxContext) => Promise<void>])[] = [
    ["a read without a write", async ({ client }) => void (await client.get(Secret, "x"))],
    [
      "a read after the last write",
      async ({ client, status }) => {
        status({ note: "first" });
        await client.list(Secret);
      },
    ],
    [
      "the object itself, its children and their list",
      async ({ client, object, own, status }) => {
        const { name } = object.metadata;
        await own(ConfigMap, [ConfigMap(`${name}-a`, { data: { a: "b" } })]);
        const child = await client.get(ConfigMap, `${name}-a`);
        const self = await client.get(Box, name);
        const { length } = await client.list(ConfigMap);
        const none = await client.get(ConfigMap, "not-yet");
        status({ note: `${child?.data?.["a"]} ${self?.spec.label} ${length > 0} ${none?.kind}` });
      },
    ],
    [
      "an object that the run has written, and reads back",
      async ({ client, status }) => {
        await client.apply(Secret, Secret("made", { stringData: { a: "b" } }));
        const made = await client.get(Secret, "made");
        status({ note: made?.data?.["a"] ?? "" });
      },
    ],
    [
      "an object that is created because it is missing",
      async ({ client, object, status }) => {
        const name = `made-${object.metadata.generation}`;
        const found = await client.get(Secret, name);
        if (!found) await client.create(Secret, Secret(name, {}));
        status({ note: "made" });
      },
    ],
    [
      "the object that is written, and only that",
      async ({ client }) => {
        await client.upsert(Part, "q", (now) => now ?? Part("q", { of: "x" }));
        const part = await client.get(Part, "p");
        await client.patch(Part, "p", { spec: { of: `${part?.spec.of}` } });
      },
    ],
  ];
  for (const [what, work] of sound)
    it(`does not report ${what}`, async () => {
      await run([boxes(work)], async (client, manager) => {
        await client.create(Part, Part("p", { of: "a" }));
        await reconcileTwice(client, manager, "sound");
        assert.deepEqual(breachesOf(manager), []);
      });
    });

  it("does not report kinds of refs, watches, the cache and `reads`", async () => {
    const controller = defineController(Box, {
      refs: { friend: ref(ConfigMap, (box) => box.spec.friend) },
      watches: { parts: all(Part) },
      reads: { kinds: [Secret] },
      async reconcile({ client, cache, refs, watches, status }) {
        const read = [
          await client.get(ConfigMap, "a"),
          await client.list(Part),
          await client.get(Secret, "s"),
          cache.get(Part, "p"),
          refs.friend,
          watches.parts,
        ];
        status({ count: read.length });
      },
    });
    await run([controller], async (client, manager) => {
      await reconcileTwice(client, manager, "sound");
      assert.deepEqual(breachesOf(manager), []);
    });
  });

  it("reports labels and annotations that are read by name and not declared", async () => {
    const controller = defineController(Box, {
      owns: [ConfigMap],
      refs: { friend: ref(Part, (box) => box.metadata.labels?.["friend"]) },
      watches: { parts: all(Part, { labels: (box) => ({ of: box.metadata.name }) }) },
      reads: { labels: ["tier"], annotations: ["ours.example.com/*"] },
      async reconcile({ object, refs, watches, cache, client, own, status }) {
        const { labels, annotations, name, namespace = "" } = object.metadata;
        const [child] = await own(ConfigMap, [
          ConfigMap({ name: `${name}-a`, labels: { ...labels, mine: "x" } }, { data: {} }),
        ]);
        const part = (await client.get(Part, "p"))!;
        const declared = [
          labels?.["tier"],
          annotations?.["ours.example.com/any"],
          annotations?.["homeostat.dev/paused"],
          watches.parts.map((one) => one.metadata.labels?.["of"]),
          child?.metadata.labels?.["other"],
          cache.get(ConfigMap, `${name}-a`)?.metadata.labels?.["other"],
          refs.friend?.metadata.name,
        ];
        const undeclared = [
          labels?.["team"],
          refs.friend?.metadata.annotations?.["a/ref"],
          watches.parts.map((one) => one.metadata.annotations?.["a/watch"]),
          cache.get(Part, "p")?.metadata.annotations?.["a/get"],
          cache.list(Part)[0]?.metadata.annotations?.["a/list"],
          part.metadata.annotations?.["a/client"],
          part.metadata.annotations?.["of"],
          (await client.list(Part, { namespace }))[0]?.metadata.annotations?.["a/clients"],
        ];
        status({ count: declared.length + undeclared.length });
      },
    });
    const test = async (client: Client): Promise<void> => {
      const annotations = { x: "y" };
      const part = { of: "a" };
      await client.create(Part, Part({ name: "p", labels: { of: "a" }, annotations }, part));
      const labels = { tier: "b", friend: "p" };
      await client.create(Box, Box({ name: "a", labels, annotations }, {}));
      await until(async () => (await client.get(Box, "a")).status?.count === 15);
    };
    await run(
      [controller],
      async (client, manager) => {
        await test(client);
        const found = manager.breaches();
        assert.ok(found.every(({ code }) => code === "ERR_METADATA_UNDECLARED"));
        assert.equal(
          found[0]?.message,
          `"box" reads the label team of Box ${client.namespace}/a, which it does not declare: a label has no schema, and everyone may write it`,
        );
        assert.deepEqual(
          found.map(({ message }) => /(?:label|annotation) (\S+)/.exec(message)?.[1]),
          ["team", "a/ref", "a/watch", "a/get", "a/list", "a/client", "of", "a/clients"],
        );
      },
      { reports: { metadata: true } },
    );
  });

  it("reports them once in production, where the maps stay plain", async () => {
    const controller = defineController(Box, {
      reads: { labels: ["tier"] },
      async reconcile({ object, status }) {
        const { labels = {}, annotations = {} } = object.metadata;
        const copy = structuredClone(object) as typeof object;
        assert.deepEqual(JSON.parse(JSON.stringify(labels)), { ...copy.metadata.labels });
        const read = [labels["tier"], labels["team"], annotations["example.com/mode"]];
        status({ note: read.join() });
      },
    });
    for (const [reports, expected] of [
      [{}, ["team", "example.com/mode"]],
      [{ metadata: false }, []],
    ] as const) {
      const { lines, log } = recordLog();
      await run(
        [controller],
        async (client, manager) => {
          const annotations = { "example.com/mode": "fast" };
          for (const name of ["a", "b"]) {
            const labels = { app: name, tier: "x", team: "y" };
            await client.create(Box, Box({ name, labels, annotations }, {}));
          }
          for (const name of ["a", "b"])
            await until(async () => (await client.get(Box, name)).status?.note === "x,y,fast");
          const named = (text: string) => /(?:label|annotation) (\S+)/.exec(text)?.[1];
          assert.deepEqual(
            manager.breaches().map(({ message }) => named(message)),
            expected,
          );
          const logged = lines.filter((line) => line.includes("reads the"));
          assert.deepEqual(logged.map(named), expected);
        },
        { reports, log },
      );
    }
  });

  it("does not report labels that the controller has written itself", async () => {
    const controller = defineController(Box, {
      async reconcile({ object, client, status }) {
        const mine = object.metadata.labels?.["mine"];
        status({ note: mine ?? "none" });
        const body = { metadata: { labels: { mine: "yes" } } };
        if (object.spec.label === "mark") await client.patch(Box, object.metadata.name, body);
      },
    });
    await run(
      [controller],
      async (client, manager) => {
        await client.create(Box, Box({ name: "own", labels: { a: "b" } }, { label: "mark" }));
        await until(async () => (await client.get(Box, "own")).status?.note === "yes");
        assert.equal(manager.breaches().length, 1, "read before it was written");
      },
      { reports: { metadata: true } },
    );
    const other = defineController(Box, { name: "other", reconcile() {} });
    for (const [writer, breaches] of [
      ["box", 0],
      ["other", 1],
    ] as const)
      await run(
        [controller, other],
        async (client, manager) => {
          const marked = Box({ name: "own", labels: { mine: "yes" } }, {});
          await client.create(Box, marked, { fieldManager: `laws/${writer}` });
          await until(async () => (await client.get(Box, "own")).status?.note === "yes");
          assert.equal(manager.breaches().length, breaches, `written by ${writer}`);
        },
        { reports: { metadata: true } },
      );
  });
});
