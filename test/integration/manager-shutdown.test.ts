// How a manager with everything ends: in which order, what still works meanwhile, and what becomes
// of what does not end in time.
import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createManager, defineController, isHomeostatError } from "homeostat";
import type { Client } from "homeostat/client";
import { ValidatingWebhookConfiguration } from "homeostat/k8s/admissionregistration/v1";
import { Lease } from "homeostat/k8s/coordination/v1";
import { Secret } from "homeostat/k8s/core/v1";
import { defineValidatingWebhook } from "homeostat/webhook";
import { freePort } from "../fixtures/free-port.ts";
import { getText } from "../fixtures/get-text.ts";
import { recordLog } from "../fixtures/hear-manager.ts";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

/** An operator whose reconciles last until `release`, with all that a manager can have. */
async function start(client: Client, options: { readonly shutdownTimeoutMs?: number } = {}) {
  const { lines, log } = recordLog();
  const debug = (message: string): void => void lines.push(`debug: ${message}`);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const running = new Set<string>();
  const signals: AbortSignal[] = [];
  const boxes = defineController(Box, {
    name: "boxes",
    concurrency: 2,
    async reconcile({ object, signal }) {
      running.add(object.metadata.name);
      signals.push(signal);
      await promise;
    },
  });
  let reviews = 0;
  const rules = defineValidatingWebhook(Box, { create: () => void reviews++ });
  const port = await freePort();
  const manager = createManager({
    operator: client.namespace,
    controllers: [boxes],
    client,
    namespace: client.namespace,
    log: { ...log, debug },
    election: { namespace: client.namespace },
    health: { port: 0 },
    metrics: { port: 0 },
    webhooks: { serve: [rules], url: `https://127.0.0.1:${port}` },
    ...options,
  });
  await manager.start();
  const { health, metrics } = manager.ports();
  const readyz = `http://127.0.0.1:${health}/readyz`;
  await until(async () => (await getText(readyz)).status === 200);
  return {
    manager,
    lines,
    release,
    running,
    signals,
    reviews: () => reviews,
    readyz,
    metrics: `http://127.0.0.1:${metrics}/metrics`,
  };
}

describeLaws("shutdown", ({ client: open, replica }) => {
  it("ends in order: readiness, controllers, Lease, caches, webhooks, ports", async () => {
    const client = await open();
    const one = await start(client);
    await client.create(Box, Box("slow", {}));
    await until(() => one.running.has("slow"));
    const stopping = one.manager.stop();
    const ready = await getText(one.readyz);
    assert.equal(ready.status, 500);
    assert.match(ready.body, /\[-\]shutdown failed: the manager is stopping/);
    assert.equal((await getText(one.metrics)).status, 200);
    const before = one.reviews();
    await client.create(Box, Box("late", {}));
    assert.equal(one.reviews(), before + 1, "webhooks answer while controllers drain");
    assert.deepEqual([...one.running], ["slow"], "nothing begins any more");
    one.release();
    await stopping;
    const end = one.lines.slice(one.lines.findIndex((line) => line.startsWith("info: stopping ")));
    const places = [
      /^info: stopping test-/,
      /^info: released the Lease /,
      /^debug: caches stopped/,
      /^debug: webhooks: closed port \d+/,
      /^info: stopped test-/,
      /^debug: closed the port of metrics/,
    ].map((pattern) => end.findIndex((line) => pattern.test(line)));
    assert.ok(!places.includes(-1), end.join("\n"));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      end.join("\n"),
    );
    await assert.rejects(getText(one.readyz), /ECONNREFUSED/);
    await assert.rejects(getText(one.metrics), /ECONNREFUSED/);
  });

  for (const [what, timeouts] of [
    ["its deadline", { shutdownTimeoutMs: 300 }],
    ["a shorter one that comes later", { timeoutMs: 0 }],
  ] as const)
    it(`cuts what does not end before ${what}, says what, and ends in order all the same`, async () => {
      const client = await open();
      const one = await start(client, "shutdownTimeoutMs" in timeouts ? timeouts : {});
      for (const name of ["a", "b"]) await client.create(Box, Box(name, {}));
      await until(() => one.running.size === 2);
      const stopping = one.manager.stop();
      assert.ok(one.signals.every(({ aborted }) => !aborted));
      if ("timeoutMs" in timeouts) void one.manager.stop(timeouts);
      await stopping;
      assert.ok(one.signals.every(({ aborted }) => aborted));
      const cut = one.lines.findIndex((line) =>
        /^warn: stopping test-\S+: time is over, cut 2 reconciles: Box \S+\/a \(\d+ s\), Box \S+\/b/.test(
          line,
        ),
      );
      const kept = one.lines.findIndex((line) =>
        /^warn: the Lease \S+ is not released and expires, because of 2 reconciles that may still run: Box \S+\/a/.test(
          line,
        ),
      );
      assert.ok(cut >= 0 && cut < kept, one.lines.join("\n"));
      assert.ok(!one.lines.some((line) => line.startsWith("info: released the Lease")));
      const lease = await client.get(Lease, client.namespace);
      assert.ok(lease.spec.holderIdentity, "no standby works before the Lease expires");
      assert.deepEqual(one.manager.ports(), {});
      one.release();
    });

  it("releases the Lease after a cut, too, when what was cut heeds its signal", async () => {
    const client = await open();
    const one = await start(client);
    await client.create(Box, Box("a", {}));
    await until(() => one.running.size === 1);
    one.signals[0]!.addEventListener("abort", () => one.release());
    await one.manager.stop({ timeoutMs: 0 });
    assert.ok(one.lines.some((line) => line.startsWith("info: released the Lease")));
  });

  it("that is cut waits for no server that has fallen silent", async () => {
    const client = await open();
    const other = await replica(client);
    const one = await start(client);
    const send = client.transport.send.bind(client.transport);
    let isSilent = false;
    let unanswered = 0;
    client.transport.send = (request, sink) => {
      if (!isSilent) return send(request, sink);
      unanswered++;
      return { resume() {}, abort: (reason) => sink.fail(reason as Error) };
    };
    isSilent = true;
    // The webhooks write the Secret again.
    await other.delete(Secret, `${client.namespace}-webhooks`);
    await until(() => unanswered > 0);
    const stopped = one.manager.stop({ timeoutMs: 0 }).then(() => "stopped");
    const late = setTimeout(20_000, "not stopped", { ref: false });
    assert.equal(await Promise.race([stopped, late]), "stopped");
    client.transport.send = send;
    await other.delete(ValidatingWebhookConfiguration, client.namespace);
    one.release();
  });

  it("a second signal of the process cuts a run, which says so", async () => {
    const client = await open();
    const boxes = defineController(Box, { name: "boxes", reconcile: () => new Promise(() => {}) });
    const { log, lines } = recordLog();
    const options = { controllers: [boxes], client, namespace: client.namespace, log };
    const manager = createManager({ operator: client.namespace, ...options });
    const running = manager.run();
    running.catch(() => {});
    await client.create(Box, Box("one", {}));
    await until(() => manager.states().some(({ progress }) => progress.at === "running"));
    process.emit("SIGTERM", "SIGTERM");
    await until(() => lines.some((line) => line.includes("waiting for a reconcile to end")));
    process.emit("SIGTERM", "SIGTERM");
    await assert.rejects(running, (error) => isHomeostatError(error, "ERR_MANAGER_CUT"));
    assert.ok(lines.some((line) => line.includes("time is over, cut a reconcile: Box")));
  });
});
