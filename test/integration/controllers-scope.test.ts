// What a manager watches: several namespaces, or those whose labels match, as they come and go.
import assert from "node:assert/strict";
import { it } from "node:test";
import { all, createManager, defineController, ref, refs, silentLog } from "homeostat";
import type { Client } from "homeostat/client";
import { Namespace } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const merge = (body: object) => ({ type: "merge" as const, body });

async function createNamespace(client: Client, labels: Record<string, string> = {}) {
  const { metadata } = await client.create(Namespace, {
    metadata: { generateName: "scope-", labels },
  });
  return metadata.name;
}

/** Owns a Part for each of a Box's parts, and counts the parts of the namespace. */
const counting = (seen: Map<string, number>) =>
  defineController(Box, {
    owns: [Part],
    watches: { parts: all(Part, { namespace: (box) => box.metadata.namespace }) },
    async reconcile({ object, own, status, watches: { parts } }) {
      const { name, namespace } = object.metadata;
      await own(
        Part,
        object.spec.parts.map((one) => Part(one, { of: name })),
      );
      status({ count: parts.length });
      seen.set(`${namespace}/${name}`, parts.length);
    },
  });

/** Records the requests that a client sends from now on. */
function recordRequests({ transport }: Client): readonly string[] {
  const sent: string[] = [];
  const send = transport.send.bind(transport);
  transport.send = (request, sink) => {
    sent.push(`${request.method} ${request.path}`);
    return send(request, sink);
  };
  return sent;
}

describeLaws("scope", ({ client: open, run }) => {
  it("watches several namespaces with requests in these namespaces only", async () => {
    const seen = new Map<string, number>();
    const client = await open();
    const [a, b, c] = [
      client.namespace!,
      await createNamespace(client),
      await createNamespace(client),
    ];
    for (const namespace of [a, b, c])
      await client.create(Box, Box({ name: "box", namespace }, { parts: ["one"] }));
    const worker = await open();
    const sent = recordRequests(worker);
    const manager = createManager({
      operator: "laws",
      controllers: [counting(seen)],
      client: worker,
      namespaces: [a, b, a],
      log: silentLog,
    });
    await manager.start();
    try {
      await until(() => seen.get(`${a}/box`) === 1 && seen.get(`${b}/box`) === 1);
      await client.delete(Part, { name: "one", namespace: b });
      await client.patch(Box, { name: "box", namespace: a }, merge({ spec: { parts: [] } }));
      await until(() => seen.get(`${a}/box`) === 0);
      await until(
        async () => (await client.find(Part, { name: "one", namespace: b })) !== undefined,
      );
      await until(() => manager.isIdle());
      assert.ok(!seen.has(`${c}/box`), "an object of another namespace was reconciled");
      assert.deepEqual(
        sent.filter((one) => /\/v1\/(boxes|parts|namespaces)\b(?!\/scope-|\/test-)/.test(one)),
        [],
        "requests outside the namespaces",
      );
      assert.equal(manager.states().length, 2);
    } finally {
      await manager.stop();
    }
  });

  it("follows the labels of Namespaces, with namespaced requests for all other kinds", async () => {
    const seen = new Map<string, number>();
    const client = await open();
    const labels = { scope: client.namespace! };
    const first = await createNamespace(client, labels);
    const second = await createNamespace(client);
    for (const namespace of [first, second])
      await client.create(Box, Box({ name: "box", namespace }, { parts: ["one"] }));
    const worker = await open();
    const sent = recordRequests(worker);
    const manager = createManager({
      operator: "laws",
      controllers: [counting(seen)],
      client: worker,
      namespaces: { labels },
      log: silentLog,
    });
    await manager.start();
    try {
      await until(() => seen.get(`${first}/box`) === 1 && manager.isIdle());
      assert.ok(!seen.has(`${second}/box`));
      await client.patch(Namespace, second, merge({ metadata: { labels } }));
      await until(() => seen.get(`${second}/box`) === 1);
      const third = await createNamespace(client, labels);
      await client.create(Box, Box({ name: "new", namespace: third }, { parts: ["x", "y"] }));
      await until(() => seen.get(`${third}/new`) === 2);
      await client.patch(Namespace, first, merge({ metadata: { labels: { scope: null } } }));
      await until(() => !manager.states().some(({ key }) => key.startsWith(first)));
      seen.clear();
      await client.patch(
        Box,
        { name: "box", namespace: first },
        merge({ spec: { parts: ["one", "two"] } }),
      );
      await client.patch(
        Box,
        { name: "box", namespace: second },
        merge({ spec: { parts: ["one", "two"] } }),
      );
      await until(() => seen.get(`${second}/box`) === 2 && manager.isIdle());
      assert.ok(!seen.has(`${first}/box`), "an object of a namespace that left was reconciled");
      assert.deepEqual(
        sent.filter((one) => /\/v1\/(boxes|parts)\b/.test(one)),
        [],
        "cluster-wide requests",
      );
    } finally {
      await manager.stop();
    }
  });

  it("a namespace that joins shows its objects together with their children", async () => {
    const seen: number[] = [];
    const client = await open();
    const labels = { scope: client.namespace! };
    const namespace = await createNamespace(client);
    const controller = defineController(Box, {
      refs: { parts: refs(Part, () => ({ labels: { of: "box" } })) },
      async reconcile({ refs: { parts } }) {
        seen.push(parts.length);
      },
    });
    for (let i = 0; i < 50; i++)
      await client.create(
        Part,
        Part({ name: `p${i}`, namespace, labels: { of: "box" } }, { of: "" }),
      );
    await client.create(Box, Box({ name: "box", namespace }, {}));
    await run(
      [controller],
      async () => {
        await client.patch(Namespace, namespace, merge({ metadata: { labels } }));
        await until(() => seen.length > 0);
        assert.equal(seen[0], 50);
      },
      { namespace: undefined, namespaces: { labels } },
    );
  });

  it("an object that names a namespace which joins later is reconciled then", async () => {
    const found: boolean[] = [];
    const client = await open();
    const labels = { scope: client.namespace! };
    const home = await createNamespace(client, labels);
    const other = await createNamespace(client);
    await client.create(Part, Part({ name: "friend", namespace: other }, { of: "" }));
    const controller = defineController(Box, {
      refs: { friend: ref(Part, () => ({ namespace: other, name: "friend" })) },
      async reconcile({ refs: { friend } }) {
        found.push(friend !== undefined);
      },
    });
    await run(
      [controller],
      async (_, manager) => {
        await client.create(Box, Box({ name: "box", namespace: home }, {}));
        const state = await until(() =>
          manager.states().find(({ progress }) => progress.at === "retrying"),
        );
        assert.match(
          JSON.stringify(state.progress),
          /ERR_REF_NAMESPACE.*watches namespaces with labels scope=/,
        );
        await client.patch(Namespace, other, merge({ metadata: { labels } }));
        await until(() => found.at(-1) === true);
      },
      { namespace: undefined, namespaces: { labels } },
    );
  });

  it("refuses namespaces that cannot be watched", async () => {
    const client = await open();
    const start = (options: object) => () =>
      createManager({ operator: "laws", controllers: [counting(new Map())], client, ...options });
    assert.throws(start({ namespaces: [] }), { code: "ERR_MANAGER_NAMESPACES" });
    assert.throws(start({ namespace: "a", namespaces: ["b"] }), { code: "ERR_MANAGER_NAMESPACES" });
    assert.throws(start({ namespaces: { labels: "a==,=" } }), { code: "ERR_MANAGER_NAMESPACES" });
    for (const [options, problem] of [
      [{ namespace: "Team_A" }, /namespace 'Team_A' cannot exist: a lowercase RFC 1123 label/],
      [{ namespaces: ["a", "b.c"] }, /namespaces\[1\] 'b.c' cannot exist: must not contain dots/],
      [{ namespaces: ["a", undefined] }, /namespaces\[1\] is undefined, expected a string/],
      [{ namespaces: "a" }, /namespaces is 'a', expected a list of names or { labels }/],
      [{ namespaces: { label: "a=b" } }, /namespaces is { label: 'a=b' }, expected a list of/],
    ] as const)
      assert.throws(start(options), (error: Error) => {
        assert.match(error.message, /^ERR_MANAGER_NAMESPACES: /);
        assert.match(error.message, problem);
        return true;
      });
  });
});
