// Nothing is remembered of an object that is gone: another of its name starts anew.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bookmark, event, meal, Meal } from "../cache/informer-play.suite.ts";
import { createClient } from "../client/create-client.ts";
import { createScriptedTransport } from "../client/scripted-transport.suite.ts";
import { defineController } from "../controller/define-controller.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { createManager } from "./manager.ts";

test("failures, pauses and states of an object go with it", async () => {
  const runtime = createVirtualRuntime();
  const transport = createScriptedTransport();
  const client = createClient({ transport, runtime, namespace: "home" });
  const said: string[] = [];
  const say = (message: string): void => void said.push(message);
  let isBroken = true;
  const controller = defineController(Meal, {
    reconcile() {
      if (isBroken) throw new Error("the oven is cold");
    },
  });
  const manager = createManager({
    operator: "op",
    controllers: [controller],
    client,
    runtime,
    reports: { events: false, conditions: false },
    log: { debug() {}, info: say, warn: say, error: say },
  });
  const starting = manager.start();
  await runtime.advance(0);
  const watch = transport.last.head();
  watch.lines(event("ADDED", meal("soup", "3")), bookmark("5", true));
  await runtime.advance(100);
  await starting;
  assert.equal(manager.states()[0]?.progress.at, "retrying");
  assert.ok(said.some((line) => /the oven is cold/.test(line)));
  manager.pause(Meal, "home/soup");
  watch.lines(event("DELETED", meal("soup", "6")));
  await runtime.advance(2000);
  assert.deepEqual(manager.states(), []);
  isBroken = false;
  said.length = 0;
  watch.lines(event("ADDED", { ...meal("soup", "7", { uid: "another" }) }));
  await runtime.advance(1000);
  assert.deepEqual(
    manager.states().map(({ progress }) => progress.at),
    ["done"],
  );
  assert.deepEqual(
    said.filter((line) => /reconciled after/.test(line)),
    [],
  );
  const stopping = manager.stop();
  await runtime.advance(0);
  await stopping;
});
