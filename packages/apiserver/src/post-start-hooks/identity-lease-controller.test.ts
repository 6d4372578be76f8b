import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { IdentityLeaseController } from "./identity-lease-controller.ts";
import type { LoopbackClient } from "./loopback-client.ts";

/** Resolves when every promise that is ready has run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A controller whose requests are listed, and wait for `gate`. */
function startController(gate: Promise<void> = Promise.resolve()) {
  const requests: string[] = [];
  const runtime = createVirtualRuntime({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  const loopback: LoopbackClient = async (method, path) => {
    requests.push(path.includes("?") ? "LIST" : method);
    await gate;
    return { status: 200, object: {} };
  };
  const address = { host: "127.0.0.1", port: 7443, hostname: "vm" };
  const controller = new IdentityLeaseController({ loopback, runtime, address });
  return { controller, requests, runtime };
}

test("a stopped controller deletes its lease and works no more", async () => {
  const { controller, requests, runtime } = startController();
  await runtime.advance(0);
  await settle();
  assert.deepEqual(requests, ["DELETE", "POST", "LIST"]);
  await controller.stop();
  assert.deepEqual(requests.splice(0), ["DELETE", "POST", "LIST", "DELETE"]);
  await runtime.advance(2 * 3_600_000);
  await settle();
  assert.deepEqual(requests, []);
});

test("stopped while it writes, it deletes what it wrote, and starts nothing new", async () => {
  const gate = Promise.withResolvers<void>();
  const { controller, requests, runtime } = startController(gate.promise);
  await runtime.advance(0);
  await settle();
  const stopped = controller.stop();
  gate.resolve();
  await stopped;
  assert.deepEqual(requests.splice(0), ["DELETE", "POST", "DELETE"]);
  await runtime.advance(2 * 3_600_000);
  await settle();
  assert.deepEqual(requests, []);
});
