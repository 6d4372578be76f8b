// Introspection of a manager with ten thousand objects that fail, and of objects with odd names.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController } from "homeostat";
import { Role } from "homeostat/k8s/rbac/v1";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { introspectionPath, readIntrospection } from "../fixtures/read-introspection.ts";
import { readStream } from "../fixtures/read-stream.ts";
import { until } from "../fixtures/until.ts";

const metrics = { port: 0, introspection: true } as const;
const count = 10_000;

const failing = defineController(Box, {
  name: "failing",
  concurrency: 10,
  // So that the test is about introspection, and not about retries.
  backoff: { firstMs: 20_000, maxMs: 20_000 },
  reports: { events: false, conditions: false },
  async reconcile({ object }) {
    throw new Error(`no glue for ${object.metadata.name}: ${"x".repeat(2000)}`);
  },
});

describeLaws("introspection under load", ({ run }) => {
  it(`stays within its bounds while ${count} objects fail`, async () => {
    await run(
      [failing],
      async (client, manager) => {
        const read = (what: string) => readIntrospection(manager, what);
        const names = Array.from({ length: count }, (_, i) => `box-${i}`);
        for (let i = 0; i < count; i += 100)
          await Promise.all(
            names.slice(i, i + 100).map((name) => client.create(Box, Box(name, {}))),
          );
        await until(() => manager.states().length === count, { timeoutMs: 60_000 });
        const { ended, kept, bytes, dropped, items, left } = await until(
          async () => {
            const answer = await read("/history?result=error");
            return answer.ended >= count ? answer : false;
          },
          { timeoutMs: 60_000, everyMs: 200 },
        );
        assert.ok(kept > 1000 && kept <= 7000, `${kept}`);
        assert.ok(bytes > 1 << 20 && bytes <= 6 << 20, `${bytes}`);
        assert.deepEqual([dropped, items.length], [ended - kept, 500]);
        assert.ok(left > 0 && left <= kept - 500, `${left} of ${kept}`);
        assert.equal(new Set(items.map((one: any) => one.error.fingerprint)).size, 1);
        assert.ok(items.every((one: any) => one.error.message.length <= 1001));
        const objects = await read("/objects");
        assert.ok(objects.items.length === 500 && objects.left >= count - 600, `${objects.left}`);
        const name = items[0].name;
        const path = `/objects/laws.example.com/Box/${client.namespace}/${name}`;
        assert.ok((await read(path)).items[0].attempts.length > 0);
      },
      { metrics },
    );
  });

  it("names objects as they are named", async () => {
    const odd = 'system:näme "x" <b> & `y`\n?a=b#c';
    const roles = defineController(Role, {
      name: "roles",
      permissions: [{ kind: Role, verbs: ["patch"] }],
      async reconcile({ object, client }) {
        if (!object.metadata.labels)
          await client.patch(Role, object.metadata.name, { metadata: { labels: { a: "b" } } });
        if (object.metadata.name === odd) throw new Error("no glue");
      },
    });
    await run(
      [roles],
      async (client, manager) => {
        const read = (what: string) => readIntrospection(manager, what);
        const at = `http://127.0.0.1:${manager.ports().metrics}${introspectionPath}/stream`;
        const stream = await readStream(at);
        await stream.first(({ name }) => name === "hello");
        await client.create(Role, { metadata: { name: odd }, rules: [] });
        const path = `/objects/rbac.authorization.k8s.io/Role/${client.namespace}`;
        const [object] = await until(async () => {
          const { items } = await read("/objects");
          return items.length > 0 ? items : false;
        });
        assert.equal(object.name, odd);
        const [same] = (await read(`${path}/${encodeURIComponent(odd)}`)).items;
        assert.ok(same.attempts.every((one: any) => one.name === odd));
        const { items } = await read(`/history?name=${encodeURIComponent(odd)}`);
        assert.equal(items.at(-1).writes[0].name, odd);
        await stream.first(({ name, data }) => name === "attempt" && data.name === odd);
        await readIntrospection(manager, `${path}/__proto__`, { expected: 404 });
        stream.close();
      },
      { metrics },
    );
  });
});
