// How a manager with everything starts: servers, webhooks, caches, the Lease, controllers.
import assert from "node:assert/strict";
import { it } from "node:test";
import { createManager, defineController } from "homeostat";
import type { Client } from "homeostat/client";
import { defineValidatingWebhook } from "homeostat/webhook";
import { freePort } from "../fixtures/free-port.ts";
import { recordLog } from "../fixtures/hear-manager.ts";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("start", ({ client: open }) => {
  it("is in order: servers, webhooks, caches, Lease, controllers", async () => {
    const client = await open();
    await client.create(Box, Box("first", {}));
    const { lines, log } = recordLog();
    hear(client, lines);
    const manager = createManager({
      operator: client.namespace,
      controllers: [defineController(Box, { reconcile: () => void lines.push("reconcile") })],
      client,
      namespace: client.namespace,
      log,
      election: { namespace: client.namespace },
      health: { port: 0 },
      metrics: { port: 0 },
      webhooks: {
        serve: [defineValidatingWebhook(Box, { create() {} })],
        url: `https://127.0.0.1:${await freePort()}`,
      },
    });
    try {
      await manager.start();
      await until(() => lines.includes("reconcile"));
    } finally {
      await manager.stop();
    }
    const places = [
      /^info: serving probes/,
      /^info: serving metrics/,
      /^GET .*\/secrets\?/,
      /^info: webhooks listen/,
      /^info: registered ValidatingWebhookConfiguration/,
      /^GET .*\/boxes\?/,
      /^info: caches synced/,
      /^GET .*\/leases[/?]/,
      /^info: leading as/,
      /^reconcile/,
    ].map((pattern) => lines.findIndex((line) => pattern.test(line)));
    assert.ok(!places.includes(-1), lines.join("\n"));
    const inOrder = places.toSorted((a, b) => a - b);
    assert.deepEqual(places, inOrder, lines.join("\n"));
  });
});

/** Adds the requests of a client to the lines. */
function hear({ transport }: Client, lines: string[]): void {
  const send = transport.send.bind(transport);
  transport.send = (request, sink) => {
    lines.push(`${request.method} ${request.path}`);
    return send(request, sink);
  };
}
