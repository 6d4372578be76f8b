// What goes wrong is named within 10 s, on the terminal and by kubectl describe: a bug in
// reconcile, a missing definition, a server that is down, and a second operator on the same
// objects.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import {
  type Controller,
  createLog,
  createManager,
  defineController,
  defineResource,
  installDefinitions,
  type ManagerOptions,
  silentLog,
} from "homeostat";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import * as z from "zod";
import { openFaultProxy } from "../fixtures/fault-proxy.ts";
import { Box, lawsApi, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const noKubectl = spawnSync("kubectl", ["version", "--client"]).error
  ? "kubectl is not installed"
  : false;
const inTime = { timeoutMs: 10_000, everyMs: 50 };

describe("what goes wrong is named within 10 s", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-named-"));
  const kubeconfig = join(folder, "kubeconfig");
  let server: ApiServer;
  let client: Client;
  /** Closes what a test that has failed leaves open. */
  const opened: (() => Promise<void>)[] = [];
  before(async () => {
    server = await startApiServer({ controllers: "none" });
    writeFileSync(kubeconfig, server.kubeconfig);
    client = createClient({ access: await loadKubeconfig({ text: server.kubeconfig }) });
    await installDefinitions(client, [Box, Part]);
  });
  after(async () => {
    for (const close of opened) await close();
    await client.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A terminal: what the default log writes. */
  async function openTerminal() {
    let text = "";
    const log = await createLog({ format: "text", level: "info", write: (line) => (text += line) });
    return { log, shows: (what: RegExp) => until(() => what.test(text), inTime), text: () => text };
  }

  const manage = (
    operator: string,
    controllers: readonly Controller[],
    options: Partial<ManagerOptions>,
  ) => {
    const manager = createManager({
      operator,
      controllers,
      client,
      shutdownTimeoutMs: 1000,
      ...options,
    });
    opened.push(() => manager.stop());
    return manager;
  };

  const describes = (name: string, what: RegExp): Promise<unknown> =>
    until(async () => {
      const { stdout } = await promisify(execFile)("kubectl", [
        ...["--kubeconfig", kubeconfig, "describe", "box", name],
      ]);
      return what.test(stdout);
    }, inTime);

  it("a bug in reconcile", { skip: noKubectl }, async () => {
    const terminal = await openTerminal();
    const buggy = defineController(Box, {
      async reconcile({ object }) {
        const nothing = object.spec.friend as unknown as { readonly bar: string };
        return void nothing.bar;
      },
    });
    const manager = manage("buggy", [buggy], { log: terminal.log });
    await manager.start();
    await client.create(Box, Box("bug", {}));
    const message = /Cannot read properties of undefined \(reading 'bar'\)/;
    await terminal.shows(
      /error box {2}Box default\/bug: failed, trying again in \d+ ms: Cannot read/,
    );
    await describes("bug", new RegExp(`Type: +Reconciling`));
    await describes("bug", new RegExp(`Warning +ReconcileError .*buggy/box +${message.source}`));
    await manager.stop();
    const said = terminal.text().split("\n");
    assert.equal(said.filter((line) => message.test(line)).length, 1, "said once in full");
    assert.match(said[0]!, /info {2}starting buggy controllers=box/);
    assert.match(terminal.text(), /caches synced in \d+ ms objects="Box \d+"[^]*started buggy/);
    assert.match(terminal.text(), /stopping buggy[^]*stopped buggy/);
    await client.delete(Box, "bug");
  });

  it("a missing definition, within a second", async () => {
    const terminal = await openTerminal();
    const Absent = defineResource({ ...lawsApi, kind: "Absent", spec: z.object({}) });
    const manager = manage("early", [defineController(Absent, { reconcile() {} })], {
      log: terminal.log,
    });
    const starting = manager.start().catch(() => {});
    await until(
      () => /warn +Absent: .*does not serve laws.example.com\/v1 Absent/.test(terminal.text()),
      { timeoutMs: 1000 },
    );
    await until(() => /still waiting for the first list of Absent\n/.test(terminal.text()), {
      timeoutMs: 12_000,
    });
    await manager.stop();
    await starting;
    const said = terminal.text().match(/does not serve|definition/g);
    assert.deepEqual(said, ["does not serve", "definition"], terminal.text());
  });

  it("a server that is down, and its return", async () => {
    const proxy = await openFaultProxy(server.url);
    opened.push(() => proxy.close());
    const access = { ...(await loadKubeconfig({ text: server.kubeconfig })), server: proxy.url };
    const behind = createClient({ access });
    const terminal = await openTerminal();
    const manager = manage("cut-off", [defineController(Box, { owns: [Part], reconcile() {} })], {
      client: behind,
      log: terminal.log,
    });
    await manager.start();
    await proxy.goAway();
    await terminal.shows(/warn +(Box, Part|Part, Box): no watch for \d+ s .*(ECONN|reset|socket)/);
    assert.match(manager.readiness().reasons.join(), /Box: no watch for/);
    await proxy.restore();
    await terminal.shows(/info +(Box|Part).*: up to date with the server again/);
    await manager.stop();
    await behind.close();
    await proxy.close();
  });

  it("a second operator on the same objects", { skip: noKubectl }, async () => {
    const terminal = await openTerminal();
    const claims = (note: string) =>
      defineController(Box, {
        async reconcile({ status }) {
          status({ note });
        },
      });
    const first = manage("first", [claims("mine")], { log: terminal.log });
    const second = manage("second", [claims("no, mine")], { log: silentLog });
    await client.create(Box, Box("claimed", {}));
    await first.start();
    await second.start();
    await terminal.shows(/Box default\/claimed: ERR_RECONCILE_LOOP: .*status.note.*"second\/box"/);
    await describes("claimed", /Warning +ReconcileLoop .*second\/box/);
    await describes("claimed", /ReconcileLoop[^]*Type: +Stalled/);
    await Promise.all([first.stop(), second.stop()]);
    await sleep(0);
  });

  it("a second operator with the same name, and not the client that made the object", async () => {
    const terminal = await openTerminal();
    const claims = (note: string) =>
      defineController(Box, {
        async reconcile({ status }) {
          status({ note });
        },
      });
    const beside = createClient({ access: await loadKubeconfig({ text: server.kubeconfig }) });
    const replica = { allowReplicas: true } as const;
    const here = manage("same", [claims("a")], { ...replica, log: terminal.log });
    const there = manage("same", [claims("b")], { ...replica, client: beside, log: silentLog });
    await client.create(Box, Box("shared", {}), { fieldManager: "kubectl-create" });
    await here.start();
    await there.start();
    await terminal.shows(
      /Box default\/shared: ERR_RECONCILE_LOOP: .*\(status\.note\), because another process writes with the same field manager "same\/box".*operator name/,
    );
    assert.doesNotMatch(terminal.text(), /kubectl-create/);
    await Promise.all([here.stop(), there.stop()]);
    await beside.close();
  });

  /** A controller of a child, and another client that changes its spec. */
  async function fight(name: string, everyMs: number, edits = Infinity) {
    const terminal = await openTerminal();
    const owner = defineController(Box, {
      owns: [Part],
      async reconcile({ object, own }) {
        await own(Part, [Part(object.metadata.name, { of: "ours" })]);
      },
    });
    const manager = manage(`owner-${name}`, [owner], { log: terminal.log });
    await manager.start();
    await client.create(Box, Box(name, {}), { fieldManager: "kubectl-create" });
    await until(() => client.find(Part, name), inTime);
    const options = { fieldManager: "rival" };
    const edit = async (i: number) => {
      const body = { spec: { of: `theirs ${i}` } };
      await client.patch(Part, name, { type: "merge", body }, options);
    };
    let isOver = false;
    const rival = (async () => {
      for (let i = 0; i < edits && !isOver; i++) {
        await edit(i);
        await sleep(everyMs);
      }
    })();
    return {
      terminal,
      rival,
      async end() {
        isOver = true;
        await rival;
        await manager.stop();
        await client.delete(Box, name);
      },
    };
  }

  for (const everyMs of [150, 1000, 2500])
    it(`a rival that rewrites a child every ${everyMs} ms, and the field`, async () => {
      const { terminal, end } = await fight(`rival-${everyMs}`, everyMs);
      await terminal.shows(
        /ERR_RECONCILE_LOOP: .* wrote Part .* \(spec\.of\), because "rival" changes each time/,
      );
      await end();
    });

  it("but not a user who edits twice", async () => {
    const { terminal, rival, end } = await fight("edited", 500, 2);
    await rival;
    await until(async () => (await client.get(Part, "edited")).spec.of === "ours", inTime);
    await sleep(500);
    assert.doesNotMatch(terminal.text(), /LOOP/);
    await end();
  });
});
