// testCluster() as tests use it: a cluster in the process that settles when no work is left and
// stops when it is closed.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testCluster, type TestClusterOptions } from "@homeostat/testing";
import {
  type Controller,
  defineController,
  defineResource,
  defineSignal,
  isHomeostatError,
  retry,
} from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { until } from "../fixtures/until.ts";

const api = { group: "cluster.example.com", version: "v1" } as const;
const Box = defineResource({
  ...api,
  kind: "Box",
  spec: z.object({ size: z.int() }),
  status: z.object({ seen: z.int() }),
  conditions: ["Ready"],
});
const Lid = defineResource({ ...api, kind: "Lid", spec: z.object({}) });

const fits = defineController(Box, {
  owns: [Lid],
  async reconcile({ object, own, status, condition }) {
    await own(Lid, [Lid(`${object.metadata.name}-lid`, {})]);
    status({ seen: object.spec.size });
    condition("Ready", "True", "Fits");
  },
});
const open = (controllers: readonly Controller[], more: TestClusterOptions = {}) =>
  testCluster({ resources: [Box, Lid], controllers, ...more });
const code = (wanted: string, message: RegExp) => (error: unknown) => {
  assert.ok(isHomeostatError(error), String(error));
  assert.equal(error.code, wanted);
  assert.match(error.message, message);
  return true;
};

describe("a test cluster", { timeout: 30_000 }, () => {
  it("fails a test whose controller reads what it does not declare, once", async () => {
    const reads = defineController(Box, {
      async reconcile({ client, status }) {
        status({ seen: (await client.list(ConfigMap)).length });
      },
    });
    const expected = code("ERR_TEST_BREACH", /ERR_READ_UNDECLARED \(Box default\/a\): "box" sets /);
    const settling = await open([reads]);
    await settling.client.create(Box, Box("a", { size: 3 }));
    await assert.rejects(settling.settle(), expected);
    await settling.close();
    const closing = await open([reads]);
    await closing.client.create(Box, Box("a", { size: 3 }));
    await until(() => closing.manager!.breaches().length > 0);
    await assert.rejects(closing.close(), expected);
    await closing.close();
    await using reporting = await open([reads], { breaches: "report" });
    await reporting.client.create(Box, Box("a", { size: 3 }));
    await reporting.settle();
    assert.equal(reporting.manager!.breaches().length, 1);
  });

  it("fails a test whose controller drops a result, or sets a signal that it does not list", async () => {
    const full = defineSignal({
      name: "full",
      on: Box,
      carrier: { annotation: "cluster.example.com/full" },
      setBy: ["box"],
      clearedBy: ["people"],
    });
    const drops = defineController(Box, {
      reconcile: ({ retry }) => void retry.in("1h"),
    });
    const sets = defineController(Box, {
      reconcile: (context) => full.set(context, context.object, "yes"),
    });
    for (const [controller, message] of [
      [
        drops,
        /\n {2}ERR_RESULT_UNUSED \(Box default\/a\): retry\.in\(…\) has no effect: .*; return it$/,
      ],
      [sets, /\n {2}ERR_SIGNAL_UNLISTED \(Box default\/a\): "box" sets or clears the signal full /],
    ] as const) {
      await using cluster = await open([controller]);
      await cluster.client.create(Box, Box("a", { size: 3 }));
      await assert.rejects(cluster.settle(), code("ERR_TEST_BREACH", message));
      await cluster.settle();
    }
  });

  it("fails a test whose reconcile goes on failing, and says with what", async () => {
    const fails = defineController(Box, {
      reconcile({ object }) {
        const size = object.spec as unknown as { readonly of: { readonly lid: string } };
        return void size.of.lid;
      },
    });
    for (const failures of ["fail", "report"] as const) {
      await using cluster = await open([fails], { failures });
      await cluster.client.create(Box, Box("b", { size: 1 }));
      const settling = cluster.settle({ horizonMs: 50 });
      if (failures === "report") await settling;
      else
        await assert.rejects(settling, (error: Error) => {
          assert.match((error.cause as Error).stack ?? "", /test-cluster\.test\.ts:\d+/);
          return code(
            "ERR_TEST_FAILING",
            /Box default\/b \(box\) failed \d+ times: Cannot read properties of undefined \(reading 'lid'\)/,
          )(error);
        });
      const never = cluster.eventually(Box, "b", () => false, { timeoutMs: 10 });
      await assert.rejects(never, (error: Error) => {
        assert.match(error.message, /Box default\/b \(box\): .*reading 'lid'/);
        assert.doesNotMatch(error.message, /managedFields/);
        return code("ERR_TEST_NEVER", /./)(error);
      });
    }
  });

  it("names at once a kind that is not among its resources", async () => {
    const began = performance.now();
    await assert.rejects(
      testCluster({ resources: [Box], controllers: [fits] }),
      code(
        "ERR_TEST_OPTION",
        /controllers use Lid \(cluster\.example\.com\/v1\), which is neither/,
      ),
    );
    assert.ok(performance.now() - began < 20_000);
  });

  it("installs resources, runs controllers, and settles when they are through", async () => {
    await using cluster = await open([fits]);
    await cluster.client.create(Box, Box("a", { size: 3 }));
    await cluster.settle();
    assert.equal((await cluster.client.get(Box, "a")).status.seen, 3);
    assert.equal((await cluster.client.list(Lid)).items.length, 1);
    assert.deepEqual(
      cluster.states().map(({ kind, key, progress }) => [kind, key, progress.at]),
      [["Box", "default/a", "done"]],
    );
    await cluster.client.patch(Box, "a", { type: "merge", body: { spec: { size: 4 } } });
    await cluster.settle();
    assert.equal((await cluster.client.get(Box, "a")).status.seen, 4);
  });

  it("settles at once without controllers", async () => {
    await using cluster = await testCluster({ controlPlane: "none" });
    await cluster.settle({ timeoutMs: 1 });
    assert.deepEqual([cluster.manager, cluster.states()], [undefined, []]);
  });

  it("runs the control plane's controllers, or none", async () => {
    await using cluster = await open([fits]);
    await using bare = await open([fits], { controlPlane: "none" });
    for (const { client, settle } of [cluster, bare]) {
      await client.create(Box, Box("a", { size: 1 }));
      await settle();
      await client.delete(Box, "a");
    }
    await until(async () => (await cluster.client.list(Lid)).items.length === 0);
    assert.equal((await bare.client.list(Lid)).items.length, 1);
  });

  it("names the object that never settles, and why", async () => {
    const restless = defineController(Box, {
      reconcile: async () => retry.in("0.02s", { because: "the paint is wet" }),
    });
    await using cluster = await open([restless]);
    await cluster.client.create(Box, Box("a", { size: 1 }));
    await cluster.eventually(Box, "a", () => cluster.states().length > 0);
    await assert.rejects(
      cluster.settle({ timeoutMs: 150 }),
      code(
        "ERR_TEST_NOT_SETTLED",
        /did not settle within 150 ms:\n {2}Box default\/a \(\S+\): .*the paint is wet/,
      ),
    );
  });

  it("treats an object with a retry beyond the horizon as settled", async () => {
    const patient = defineController(Box, {
      reconcile: async () => retry.in("60s", { because: "the paint is wet" }),
    });
    await using cluster = await open([patient]);
    await cluster.client.create(Box, Box("a", { size: 1 }));
    await cluster.settle();
    assert.equal(cluster.states()[0]?.progress.at, "retrying");
    await assert.rejects(
      cluster.settle({ timeoutMs: 50, horizonMs: 120_000 }),
      code("ERR_TEST_NOT_SETTLED", /the paint is wet/),
    );
  });

  it("resolves to the object as soon as the condition holds", async () => {
    await using cluster = await open([fits]);
    const waiting = cluster.eventually(
      Box,
      "a",
      (box) => box.status?.conditions?.[0]?.reason === "Fits",
    );
    await cluster.client.create(Box, Box("a", { size: 3 }));
    assert.equal((await waiting).status.seen, 3);
  });

  it("shows the last object when a condition never holds", async () => {
    await using cluster = await testCluster();
    await assert.rejects(
      cluster.eventually(ConfigMap, "a", () => true, { timeoutMs: 30 }),
      code(
        "ERR_TEST_NEVER",
        /ConfigMap a: the condition did not become true within 30 ms\n {2}the object does not exist$/,
      ),
    );
    await cluster.client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { k: "v" },
    } as never);
    await assert.rejects(
      cluster.eventually(ConfigMap, "a", () => false, { timeoutMs: 30, namespace: "default" }),
      code("ERR_TEST_NEVER", /the object is \{.*"data":\{"k":"v"\}/),
    );
  });

  it("treats a condition that throws as false", async () => {
    await using cluster = await open([fits]);
    const waiting = cluster.eventually(Box, "a", (box) =>
      box.status.conditions!.some(({ status }) => status === "True"),
    );
    await cluster.client.create(Box, Box("a", { size: 3 }));
    assert.equal((await waiting).status.seen, 3);
    await assert.rejects(
      cluster.eventually(Box, "a", () => assert.fail("no lid in sight"), { timeoutMs: 30 }),
      (error) =>
        code(
          "ERR_TEST_NEVER",
          /the condition threw: no lid in sight\n {2}the object is \{/,
        )(error) && (error as Error).cause instanceof assert.AssertionError,
    );
  });

  it("names the object that triggers itself, and the fields that it writes", async () => {
    const counting = defineController(Box, {
      reconcile: async ({ object, status }) => status({ seen: object.status.seen === 1 ? 2 : 1 }),
    });
    await using cluster = await open([counting]);
    await cluster.client.create(Box, Box("a", { size: 1 }));
    await assert.rejects(
      cluster.settle({ timeoutMs: 3000 }),
      code(
        "ERR_TEST_NOT_SETTLED",
        /Box default\/a \(\S+\): it keeps triggering itself, writing Box status\.seen each time; /,
      ),
    );
  });

  it("closes within a second and names the reconcile that does not end", async () => {
    const stubborn = defineController(Box, { reconcile: () => new Promise<void>(() => {}) });
    const cluster = await open([stubborn]);
    await cluster.client.create(Box, Box("a", { size: 1 }));
    await until(() => cluster.states().length > 0);
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    const at = performance.now();
    await cluster.close();
    assert.ok(performance.now() - at < 1000, `it took ${performance.now() - at} ms`);
    assert.match(
      (await warned).message,
      /these reconciles ignored their signal: Box default\/a \(\S+\); /,
    );
  });

  it("runs beside other clusters", async () => {
    const clusters = await Promise.all([1, 2, 3].map(() => open([fits])));
    await Promise.all(
      clusters.map(
        async ({ client, settle }, i) => (
          await client.create(Box, Box("a", { size: i })),
          settle()
        ),
      ),
    );
    for (const [i, { client }] of clusters.entries())
      assert.equal((await client.get(Box, "a")).status.seen, i);
    await clusters[0]!.close();
    assert.equal((await clusters[1]!.client.list(Box)).items.length, 1);
    await Promise.all(clusters.map((cluster) => cluster.close()));
  });

  it("closes once, however often it is closed", async () => {
    const cluster = await open([fits]);
    await cluster.close();
    await cluster.close();
    await assert.rejects(cluster.client.list(Box), /has been closed/);
  });

  it("does not start with a definition that the server refuses", () =>
    assert.rejects(
      testCluster({
        resources: [{ definition: { ...Box.definition, plural: "Not A Name" } }],
        controllers: [fits],
      }),
      /Not A Name|not a name/i,
    ));

  for (const [what, program] of [
    [
      "closed",
      `const cluster = await testCluster(); await cluster.client.list(ConfigMap); await cluster.close();`,
    ],
    ["that could not start", `await testCluster({ controlPlane: ["gardener"] }).catch(() => {});`],
    [
      "whose controllers are refused",
      `await testCluster({ controllers: [{ name: "a.b", kind: ConfigMap, reconcile() {} }] }).catch(() => {});`,
    ],
  ] as const) {
    it(`${what} leaves nothing that would keep the process`, async () => {
      const source = `import { testCluster } from "@homeostat/testing"; import { ConfigMap } from "homeostat/k8s/core/v1"; ${program} console.log("done");`;
      const { stdout, stderr } = await promisify(execFile)(
        process.execPath,
        ["--conditions=homeostat-source", "--input-type=module", "--eval", source],
        { cwd: import.meta.dirname, timeout: 15_000 },
      );
      assert.equal(stdout, "done\n");
      assert.equal(stderr, "");
    });
  }
});

describe("a test cluster under node --test", () => {
  const program = fileURLToPath(new URL("../fixtures/forgotten-cluster/main.ts", import.meta.url));
  const run = async (name: string) => {
    const env = { ...process.env, FORGOTTEN_TEST: name };
    delete (env as NodeJS.ProcessEnv)["NODE_TEST_CONTEXT"];
    const began = performance.now();
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ["--conditions=homeostat-source", "--test", "--test-reporter=tap", program],
      { env, timeout: 40_000 },
    );
    return { output: stdout + stderr, tookMs: performance.now() - began };
  };

  it("that a test forgot to close ends with its process, and says so in one line", async () => {
    const { output } = await run("forgets to close");
    assert.match(output, /ok 1 - forgets to close/);
    assert.match(
      output,
      /HomeostatWarning: the test cluster opened at \S*forgotten-cluster\/main\.ts:\d+:\d+ is not closed/,
    );
  });

  for (const name of ["waits for a reconcile only", "waits for a watch only"])
    it(`does not end a test that ${name}`, async () => {
      const { output } = await run(name);
      assert.match(output, new RegExp(`ok 1 - ${name}`));
      assert.doesNotMatch(output, /not ok|HomeostatWarning/);
    });
});
