// A kind whose definition is missing when a manager starts: its controllers wait, the others run.
import assert from "node:assert/strict";
import { it } from "node:test";
import {
  all,
  type Controller,
  defineController,
  defineResource,
  installDefinitions,
  type ManagerOptions,
} from "homeostat";
import type { Client } from "homeostat/client";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import { Namespace } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { createVoice, recordLog } from "../fixtures/hear-manager.ts";
import { Box, describeLaws, lawsApi, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const late = (kind: string) => defineResource({ ...lawsApi, kind, spec: z.object({}) });
const noted = (name: string) =>
  defineController(Box, {
    name,
    owns: [Part],
    async reconcile({ object, own }) {
      await own(Part, [Part(`${name}-${object.metadata.name}`, { of: object.metadata.name })]);
    },
  });

describeLaws("kinds that are missing at the start", ({ client: open }) => {
  /** A manager of two controllers, the second of which needs a kind that is not served yet. */
  async function play(
    kind: string,
    test: (arranged: {
      client: Client;
      namespace: string;
      lines: readonly string[];
      install(): Promise<void>;
      readiness(): readonly string[];
    }) => Promise<void>,
    options: (namespace: string) => Partial<ManagerOptions> = (namespace) => ({ namespace }),
  ): Promise<void> {
    const client = await open();
    const namespace = client.namespace!;
    const labels = { missing: namespace };
    await client.patch(Namespace, namespace, { type: "merge", body: { metadata: { labels } } });
    const Late = late(kind);
    const needs: Controller = defineController(Box, {
      name: "needs",
      watches: { all: all(Late) },
      async reconcile({ object, status, watches }) {
        status({ note: `${object.metadata.name} of ${watches.all.length}` });
      },
    });
    const { lines, log } = recordLog();
    const manager = createVoice(client, {
      controllers: [noted("plain"), needs],
      log,
      ...options(namespace),
    });
    let isStarted = false;
    const starting = manager.start().then(() => (isStarted = true));
    starting.catch(() => {});
    await client.create(Box, Box("b", {}));
    try {
      await until(() => client.find(Part, "plain-b"));
      assert.equal(isStarted, false, "the start is over when all controllers run");
      const install = async () => {
        await installDefinitions(client, [Late]);
        await client.create(Late, Late("one", {}));
      };
      const readiness = () => manager.readiness().reasons;
      await test({ client, namespace, lines, install, readiness });
      await until(async () => (await client.get(Box, "b")).status?.note === "b of 1");
      await starting;
      await until(() => manager.readiness().ready);
    } finally {
      await manager.stop();
      const name = `${Late.resource}.laws.example.com`;
      if (await client.find(CustomResourceDefinition, name))
        await client.delete(CustomResourceDefinition, name);
    }
  }

  it("hold up the controllers that need them, and no others", async () => {
    await play("Tardy", async ({ client, lines, install, readiness }) => {
      const named =
        /^Tardy( in namespace \S+)?: .*does not serve .*; not started: controller "needs"$/;
      await until(() => readiness().some((reason) => named.test(reason)));
      await until(() => lines.some((line) => named.test(line.replace("warn: ", ""))));
      const without = 'info: started voice without controller "needs", whose kinds have not synced';
      await until(() => lines.includes(without));
      assert.equal((await client.get(Box, "b")).status?.note, undefined);
      await install();
      await until(() => lines.includes('info: started controller "needs"'));
      assert.ok(!lines.includes("info: started voice"), "said once");
    });
  });

  it("hold up no namespace, chosen by name or by labels", async () => {
    const names = (namespace: string) => ({ namespaces: [namespace] });
    await play("Slow", ({ install }) => install(), names);
    const labelled = (missing: string) => ({ namespaces: { labels: { missing } } });
    await play(
      "Lazy",
      async ({ client, namespace, install }) => {
        const labels = { missing: namespace };
        const metadata = { generateName: "missing-", labels };
        const other = await client.create(Namespace, { metadata });
        const there = { name: "c", namespace: other.metadata.name };
        await client.create(Box, Box(there, {}));
        await until(() => client.find(Part, { ...there, name: "plain-c" }));
        await install();
        await until(async () => (await client.get(Box, there)).status?.note === "c of 1");
      },
      labelled,
    );
  });

  it("are given up when the time is over and no controller has started", async () => {
    const client = await open();
    const { lines, log } = recordLog();
    const manage = (controllers: readonly Controller[]) =>
      createVoice(client, { controllers, log, namespace: client.namespace, syncTimeoutMs: 800 });
    const needs = defineController(late("Never"), { reconcile() {} });
    await assert.rejects(manage([needs]).start(), /ERR_MANAGER_SYNC: .* of Never \(/);
    await client.create(Box, Box("b", {}));
    const some = manage([noted("plain"), needs]);
    await some.start();
    try {
      await until(() => client.find(Part, "plain-b"));
      assert.match(some.readiness().reasons.join(), /^Never in namespace /);
      await until(() => lines.some((line) => line.includes('without controller "never"')));
    } finally {
      await some.stop();
    }
    assert.equal(lines.at(-1), "info: stopped voice");
  });
});
