// What a manager says about its caches: namespaces that it may not read, watches that are lost, and
// first lists that do not come.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, isHomeostatError, ref } from "homeostat";
import type { Client } from "homeostat/client";
import { Namespace } from "homeostat/k8s/core/v1";
import { createVoice, intercept, recordLog } from "../fixtures/hear-manager.ts";
import { Box, describeLaws, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

async function createNamespace(client: Client, labels: Record<string, string> = {}) {
  const { metadata } = await client.create(Namespace, {
    metadata: { generateName: "voice-", labels },
  });
  return metadata.name;
}

const counting = (seen: string[]) =>
  defineController(Box, {
    owns: [Part],
    refs: { part: ref(Part, ({ spec }) => spec.friend && { namespace: spec.friend, name: "p" }) },
    async reconcile({ object, refs: { part } }) {
      seen.push(`${object.metadata.namespace} ${part === undefined ? "none" : "found"}`);
    },
  });

describeLaws("a manager's caches", ({ client: open }) => {
  it("a namespace that may not be read is named once and left out until it may", async (test) => {
    const client = await open();
    const labels = { voice: client.namespace! };
    const allowed = await createNamespace(client, labels);
    const closed = await createNamespace(client, labels);
    for (const namespace of [allowed, closed])
      await client.create(Box, Box({ name: "box", namespace }, { friend: closed }));
    for (const namespaces of [[allowed, closed], { labels }]) {
      const seen: string[] = [];
      const { lines, log } = recordLog();
      const worker = await open();
      let isClosed = true;
      intercept(test, worker, (line) =>
        isClosed && line.includes(`/namespaces/${closed}/parts`) ? "forbid" : "pass",
      );
      const manager = createVoice(worker, { controllers: [counting(seen)], namespaces, log });
      const began = performance.now();
      await manager.start();
      try {
        assert.ok(performance.now() - began < 5000, "the start waited for the namespace");
        const named = `warn: namespace ${closed} is left out, because this user may not list and watch Part: GET `;
        await until(() => lines.some((line) => line.startsWith(named)));
        await sleep(1200);
        const warnings = lines.filter((line) => line.startsWith("warn") && line.includes(closed));
        assert.equal(warnings.length, 1, warnings.join("\n"));
        const { ready, reasons } = manager.readiness();
        assert.equal(ready, true, "the others are fresh");
        assert.equal(reasons.length, 1);
        assert.ok(
          reasons[0]!.startsWith(
            `Part in namespace ${closed}: the first list is not complete: GET `,
          ),
        );
        const failing = manager.states().find(({ key }) => key === `${allowed}/box`)?.progress;
        assert.ok(
          failing?.at === "retrying" && failing.because.includes("ERR_REF_NAMESPACE"),
          "what cannot be read is not taken for absent",
        );
        assert.deepEqual(
          manager.states().map(({ key }) => key),
          [`${allowed}/box`],
        );
        isClosed = false;
        await until(() => seen.includes(`${closed} none`) && manager.readiness().ready, {
          timeoutMs: 10_000,
        });
        await until(() => seen.includes(`${allowed} none`), { timeoutMs: 10_000 });
        assert.deepEqual(manager.readiness().reasons, []);
      } finally {
        await manager.stop();
      }
    }
  });

  it("without any namespace that may be read, the start fails", async (test) => {
    const client = await open();
    intercept(test, client, (line) => (line.includes("/parts") ? "forbid" : "pass"));
    const { log } = recordLog();
    const namespaces = [client.namespace!];
    const manager = createVoice(client, {
      controllers: [counting([])],
      namespaces,
      log,
      syncTimeoutMs: 500,
    });
    await assert.rejects(
      manager.start(),
      (error: unknown) =>
        isHomeostatError(error, "ERR_MANAGER_SYNC") &&
        /Part \(GET .* is forbidden/.test(String(error)),
    );
  });

  it("a watch that is lost is named also in a namespace that joined later", async (test) => {
    const client = await open();
    const labels = { voice: client.namespace! };
    const { lines, log } = recordLog();
    const worker = await open();
    let isClosed = false;
    intercept(test, worker, (line) => (isClosed && line.includes("/boxes?") ? "forbid" : "pass"));
    const seen: string[] = [];
    const manager = createVoice(worker, {
      controllers: [counting(seen)],
      namespaces: { labels },
      log,
    });
    await manager.start();
    try {
      const late = await createNamespace(client, labels);
      await client.create(Box, Box({ name: "box", namespace: late }, {}));
      await until(() => seen.length > 0);
      isClosed = true;
      await until(() => lines.some((line) => /^warn: Box: no watch for \d+ s/.test(line)), {
        timeoutMs: 30_000,
      });
      assert.equal(manager.readiness().ready, false, "what was seen and is lost counts");
      isClosed = false;
      await until(() => lines.includes("info: Box: up to date with the server again"), {
        timeoutMs: 10_000,
      });
    } finally {
      await manager.stop();
    }
  });

  it("a first list that does not come is named within ten seconds, with its kind", async (test) => {
    const client = await open();
    const { lines, log } = recordLog();
    intercept(test, client, (line) => (line.includes("/parts?") ? "hang" : "pass"));
    const namespace = client.namespace;
    const manager = createVoice(client, { controllers: [counting([])], namespace, log });
    const starting = manager.start().catch(() => {});
    await until(
      () => lines.some((line) => /^warn: still waiting for the first list of Part: /.test(line)),
      { timeoutMs: 12_000 },
    );
    assert.ok(!lines.some((line) => /first list of .*Box/.test(line)), "Box has synced");
    await manager.stop();
    await starting;
  });
});
