import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { KeyedController } from "./keyed-controller.ts";
import type { ControllerContext } from "./controller.ts";
import { Pod } from "homeostat/k8s/core/v1";

test("a controller whose informers cannot list says so, processes nothing, and still stops", async () => {
  const told: unknown[] = [];
  const warned = Promise.withResolvers<void>();
  const context = {
    runtime: createVirtualRuntime({ seed: 1 }),
    cache: {
      acquire: () => ({
        informer: { synced: () => Promise.reject(new Error("no list")) },
        release: () => {},
      }),
    },
    warn: (message: string, error: unknown) => {
      told.push(message, (error as Error).message);
      warned.resolve();
    },
  } as unknown as ControllerContext;
  const controller = new KeyedController(context, "the tester");
  controller.acquire(Pod);
  controller.add("a");
  const worked: string[] = [];
  controller.start(async (key) => void worked.push(key));
  await warned.promise;
  await controller.stop();
  assert.deepEqual(
    [told, worked],
    [["the tester does not start: its informers cannot list: no list", "no list"], []],
  );
});

test("a key that keeps failing is reported once, with the reason", async () => {
  const told: string[] = [];
  const runtime = createVirtualRuntime({ seed: 1 });
  const warn = (message: string): void => void told.push(message);
  const controller = new KeyedController({ runtime, warn } as unknown as ControllerContext, "it");
  controller.add("a");
  controller.start(() => Promise.reject(new Error("quota exceeded")));
  await runtime.advance(600_000);
  await controller.stop();
  assert.deepEqual(told, ["it keeps failing on a: quota exceeded"]);
});
