// The stream of a manager's changes: what it tells to whom, and that no reader costs the manager
// its memory or its shutdown.
import assert from "node:assert/strict";
import { it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createManager, defineController, type Manager, silentLog } from "homeostat";
import { Box, describeLaws, sleep } from "../fixtures/laws.ts";
import { checkDocumented, introspectionPath } from "../fixtures/read-introspection.ts";
import { readStream, type StreamOptions } from "../fixtures/read-stream.ts";
import { mayGetBoxes, tokenOf } from "../fixtures/reader-token.ts";
import { until } from "../fixtures/until.ts";

const metrics = { port: 0, introspection: true } as const;

const boxes = defineController(Box, {
  name: "boxes",
  reports: { events: false, conditions: false },
  async reconcile({ object, step }) {
    // The kernel's buffers take megabytes on loopback: each step is two changes, one of 1 kB.
    if (object.metadata.name === "busy")
      for (let i = 0; i < 20_000; i++) {
        await step("x".repeat(1000), async () => {});
        if (i % 200 === 0) await sleep(1);
      }
    if (object.metadata.name.startsWith("broken")) throw new Error("no glue");
  },
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** What is held after a collection. */
function liveBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const open = (manager: Manager, query = "", options: StreamOptions = {}) => {
  const scheme = options.token === undefined ? "http" : "https";
  const at = `${scheme}://127.0.0.1:${manager.ports().metrics}${introspectionPath}/stream`;
  return readStream(`${at}${query}`, options);
};

describeLaws("introspection stream", ({ client: newClient, run }) => {
  it("tells states, attempts, informers and elections as they change", async () => {
    const { namespace } = await newClient();
    await run(
      [boxes],
      async (client, manager) => {
        const stream = await open(manager);
        assert.equal(stream.status, 200);
        assert.equal(stream.headers["content-type"], "text/event-stream");
        const { data: hello } = await stream.first(({ name }) => name === "hello");
        assert.deepEqual(hello.events, ["object", "attempt", "informer", "election", "ring"]);
        const narrow = await open(manager, `?event=attempt&namespace=${client.namespace}x`);
        const others = await open(manager, "?controller=others");
        const only = await open(manager, "?event=attempt&controller=boxes");
        await client.create(Box, Box("broken", {}));
        await client.create(Box, Box("fine", {}));
        const { data: done } = await stream.first(
          ({ name, data }) => name === "object" && data.name === "fine" && data.state === "done",
        );
        assert.deepEqual(
          [done.controller, done.kind, done.namespace, done.apiVersion],
          ["boxes", "Box", client.namespace, "laws.example.com/v1"],
        );
        const { data: failed } = await stream.first(
          ({ name, data }) => name === "attempt" && data.name === "broken",
        );
        assert.deepEqual([failed.result, failed.error.message], ["error", "no glue"]);
        await only.first(({ data }) => data.name === "fine");
        await until(() => stream.events.length > 10);
        assert.ok(only.events.every(({ name }) => ["hello", "attempt"].includes(name)));
        for (const one of [narrow, others])
          assert.deepEqual(
            one.events.map(({ name }) => name),
            ["hello"],
          );
        for (const { name, data } of stream.events) checkDocumented(`event ${name}`, data);
        for (const one of [stream, narrow, others, only]) one.close();
      },
      { metrics, election: { namespace } },
    );
  });

  it("tells when a replica begins to lead", async () => {
    const client = await newClient();
    const options = {
      operator: "replicas",
      controllers: [boxes],
      client,
      namespace: client.namespace,
      log: silentLog,
      allowReplicas: true,
      metrics,
      election: { namespace: client.namespace },
    } as const;
    const first = createManager(options);
    await first.start();
    await until(() => first.elections()[0]?.role === "leading");
    const second = createManager(options);
    await second.start();
    try {
      const stream = await open(second, "?event=election");
      await stream.first(({ name }) => name === "hello");
      await sleep(100);
      await first.stop();
      const { data } = await stream.first(({ name }) => name === "election");
      assert.equal(data.lease, `${client.namespace}/replicas`);
      await stream.first(({ data: { role } }) => role === "leading");
      stream.close();
    } finally {
      await first.stop();
      await second.stop();
    }
  });

  it("refuses readers above its limit and unknown events, and takes others when some leave", async () => {
    await run(
      [boxes],
      async (client, manager) => {
        const wrong = await open(manager, "?event=weather");
        assert.equal(wrong.status, 400);
        await until(() => wrong.text().includes("object, attempt, informer, election, ring"));
        const all = await Promise.all(Array.from({ length: 100 }, () => open(manager)));
        const served = all.filter(({ status }) => status === 200);
        const refused = all.filter(({ status }) => status === 503);
        assert.deepEqual([served.length, refused.length], [32, 68]);
        await until(() => refused.every((one) => one.text().endsWith("\n")));
        assert.match(refused[0]!.text(), /32 streams are open/);
        assert.equal(refused[0]!.headers["retry-after"], "5");
        await client.create(Box, Box("fine", {}));
        await Promise.all(served.map((one) => one.first(({ name }) => name === "attempt")));
        for (const one of served) one.close();
        const again = await until(async () => {
          const one = await open(manager);
          if (one.status === 200) return one;
          one.close();
          return false;
        });
        again.close();
      },
      { metrics },
    );
  });

  it("tells a slow reader how much it has missed, and holds nothing for it", async () => {
    await run(
      [boxes],
      async (client, manager) => {
        const slow = await open(manager, "", { isPaused: true });
        const quick = await open(manager, "?event=attempt");
        const before = liveBytes();
        await client.create(Box, Box("busy", {}));
        await quick.first(({ data }) => data.name === "busy");
        const grown = liveBytes() - before;
        assert.ok(grown < 10 << 20, `the heap has grown by ${grown} bytes`);
        slow.resume();
        const seen = () => slow.events.filter(({ name }) => name === "object").length;
        const missed = () => slow.events.reduce((sum, { data }) => sum + (data.missed ?? 0), 0);
        await until(() => seen() + missed() >= 40_000);
        assert.ok(seen() > 0 && missed() > 10_000, `${seen()} came, ${missed()} missed`);
        for (const one of [slow, quick]) one.close();
      },
      { metrics },
    );
  });

  it("ends all streams when the manager stops, also those that nobody reads", async () => {
    const client = await newClient();
    const manager = createManager({
      operator: client.namespace,
      controllers: [boxes],
      client,
      namespace: client.namespace,
      log: silentLog,
      metrics,
    });
    await manager.start();
    const reading = await Promise.all(Array.from({ length: 10 }, () => open(manager)));
    const unread = await Promise.all(
      Array.from({ length: 10 }, () => open(manager, "", { isPaused: true })),
    );
    await Promise.all(reading.map((one) => one.first(({ name }) => name === "hello")));
    const began = performance.now();
    await manager.stop();
    const took = performance.now() - began;
    assert.ok(took < 900, `it took ${took} ms`);
    await Promise.all(reading.map((one) => one.ended));
    for (const one of reading)
      assert.deepEqual(one.events.at(-1), {
        name: "end",
        data: { because: "the manager has stopped" },
      });
    for (const one of unread) one.close();
  });

  it("shows a reader only what it may get", async () => {
    const client = await newClient();
    const urls = ["/debug/homeostat/*"];
    const blind = await tokenOf(client, "blind", urls);
    const reader = await tokenOf(client, "reader", urls);
    await mayGetBoxes(client, "reader", { namespace: client.namespace });
    await run(
      [boxes],
      async (_client, manager) => {
        await client.create(Box, Box("first", {}));
        await until(() => manager.states().length === 1);
        const stream = await open(manager, "", { token: blind });
        const seeing = await open(manager, "", { token: reader });
        for (const one of [stream, seeing]) await one.first(({ name }) => name === "hello");
        await client.create(Box, Box("second", {}));
        await seeing.first(({ name, data }) => name === "attempt" && data.name === "second");
        await seeing.first(({ name, data }) => name === "object" && data.name === "second");
        await sleep(1500);
        assert.deepEqual(
          stream.events.map(({ name }) => name),
          ["hello"],
        );
        for (const one of [stream, seeing]) one.close();
      },
      {
        namespace: client.namespace,
        metrics: { ...metrics, authorization: { client } },
      },
    );
  });
});
