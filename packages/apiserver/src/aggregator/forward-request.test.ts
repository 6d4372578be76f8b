// The driver's connections: what a failed attempt leaves behind.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { createForwardDriver } from "./forward-request.ts";

const target = { host: "127.0.0.1", port: 1, serverName: "wardle.default.svc" };
const sent = { method: "GET", path: "/apis/wardle.io/v1", headers: {}, body: new Uint8Array() };

test("a certificate that could not be issued is asked for again", async () => {
  let failures = 1;
  const forwarder = createForwardDriver({
    clock: createVirtualRuntime().clock,
    certificate: async () => {
      if (failures-- > 0) throw new Error("no entropy");
      return { cert: "", key: "", ca: "" };
    },
  });
  await assert.rejects(forwarder.send(target, sent), /^Error: no entropy$/);
  await assert.rejects(forwarder.send(target, sent), /connect: connection refused$/);
  forwarder.close();
});
