// What a manager's stop waits for, on a scripted server.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bookmark, event, meal, Meal } from "../cache/informer-play.suite.ts";
import { createClient } from "../client/create-client.ts";
import {
  createScriptedTransport,
  type ScriptedTransport,
} from "../client/scripted-transport.suite.ts";
import { defineController } from "../controller/define-controller.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { silentLog } from "./log/create-log.ts";
import { createManager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";

function arrange(options: Partial<ManagerOptions> = {}, transport = createScriptedTransport()) {
  const runtime = createVirtualRuntime();
  const client = createClient({ transport, runtime, namespace: "home" });
  const manager = createManager({
    operator: "op",
    controllers: [defineController(Meal, { reconcile() {} })],
    client,
    runtime,
    log: silentLog,
    ...options,
  });
  return { manager, runtime, transport };
}

const endsWith = (code: string) => (error: unknown) => isHomeostatError(error, code);
const open = ({ exchanges }: ScriptedTransport): number =>
  exchanges.filter(({ aborted }) => !aborted).length;

describe("a manager", () => {
  it("has stopped only when its start has ended", async () => {
    const { manager, runtime, transport } = arrange();
    const order: string[] = [];
    const starting = assert
      .rejects(manager.start(), endsWith("ERR_MANAGER_STOPPED"))
      .then(() => order.push("start ended"));
    await runtime.advance(0);
    assert.equal(open(transport), 1);
    await manager.stop();
    order.push("stopped");
    await starting;
    assert.deepEqual(order, ["start ended", "stopped"]);
    assert.equal(open(transport), 0);
  });

  it("starts once, and says what it is", async () => {
    const { manager, runtime } = arrange();
    const starting = manager.start();
    await assert.rejects(manager.start(), /op: the manager is already started/);
    await runtime.advance(0);
    const stopping = manager.stop();
    await assert.rejects(starting, endsWith("ERR_MANAGER_STOPPED"));
    await stopping;
    await assert.rejects(manager.start(), /op: the manager is stopped/);
    assert.equal(manager.stop(), manager.stop());
  });

  it("gives up after the time for its first lists, and names what is missing", async () => {
    const { manager, runtime, transport } = arrange({ syncTimeoutMs: 5000 });
    const starting = assert.rejects(manager.start(), (error: any) => {
      assert.ok(endsWith("ERR_MANAGER_SYNC")(error));
      assert.match(error.message, /no complete first list within 5000 ms of Meal \(.+\)/);
      return true;
    });
    await runtime.advance(4999);
    assert.equal(open(transport), 1);
    await runtime.advance(1);
    await starting;
    assert.equal(open(transport), 0);
  });

  it("releases its names when it stops, and when its start fails", async () => {
    const transport = createScriptedTransport();
    const first = arrange({ syncTimeoutMs: 5000 }, transport);
    const starting = assert.rejects(first.manager.start(), endsWith("ERR_MANAGER_SYNC"));
    const second = arrange({}, transport);
    await assert.rejects(second.manager.start(), endsWith("ERR_CONTROLLER_RUNNING"));
    await first.runtime.advance(5000);
    await starting;
    const third = arrange({}, transport);
    const started = assert.rejects(third.manager.start(), endsWith("ERR_MANAGER_STOPPED"));
    await third.manager.stop();
    await started;
    const fourth = arrange({ syncTimeoutMs: 1 }, transport);
    const last = assert.rejects(fourth.manager.start(), endsWith("ERR_MANAGER_SYNC"));
    await fourth.runtime.advance(1);
    await last;
  });

  it("has stopped only when its Events have been sent", async () => {
    const cooks = defineController(Meal, {
      reconcile: ({ recorder }) => recorder.event("Normal", "Cooked", "it is hot"),
    });
    const reports = { conditions: false };
    const { manager, runtime, transport } = arrange({ controllers: [cooks], reports });
    const starting = manager.start();
    await runtime.advance(0);
    transport.last.head().lines(event("ADDED", meal("soup", "3")), bookmark("5", true));
    await runtime.advance(100);
    await starting;
    const sent = transport.last;
    assert.match(`${sent.request.method} ${sent.url.pathname}`, /^POST .*\/events$/);
    let hasStopped = false;
    const stopping = manager.stop().then(() => (hasStopped = true));
    await runtime.advance(1000);
    assert.equal(hasStopped, false);
    sent.answer(201, sent.body);
    await runtime.advance(0);
    await stopping;
  });

  it("names the reconciles that keep the process alive after it has stopped, once", async () => {
    const lines: string[] = [];
    const say = (message: string): void => void lines.push(message);
    const log = { ...silentLog, warn: say };
    const returned = Promise.withResolvers<void>();
    const play = async () => {
      const hangs = defineController(Meal, {
        concurrency: 2,
        reconcile: ({ object, step }) =>
          object.metadata.name === "soup"
            ? step("stir", () => new Promise<void>(() => {}))
            : returned.promise,
      });
      const { manager, runtime, transport } = arrange({
        controllers: [hangs],
        log,
        shutdownTimeoutMs: 100,
        reports: { events: false, conditions: false },
      });
      const starting = manager.start();
      await runtime.advance(0);
      const meals = ["soup", "stew"].map((name) => event("ADDED", meal(name, "3")));
      transport.last.head().lines(...meals, bookmark("5", true));
      await runtime.advance(100);
      await starting;
      const stopping = manager.stop();
      await runtime.advance(1000);
      await stopping;
      return runtime;
    };
    const runtime = await play();
    await runtime.advance(9000);
    const ns = meal("soup", "3").metadata.namespace;
    const cut = `stopping op: time is over, cut 2 reconciles: Meal ${ns}/soup (0 s, in step "stir"), Meal ${ns}/stew (0 s)`;
    assert.deepEqual(lines.splice(0), [cut]);
    await runtime.advance(60_000);
    assert.deepEqual(lines.splice(0), [
      `the process still runs 10 s after op stopped: reconciles of Meal ${ns}/soup (in step "stir") and Meal ${ns}/stew have not returned; pass the context's signal on to what they wait for`,
    ]);
    const later = await play();
    assert.deepEqual(lines.splice(0), [cut]);
    returned.resolve();
    await later.advance(60_000);
    assert.match(
      lines.join(),
      /^the process .*: a reconcile of Meal \S+\/soup \(in step "stir"\) has not/,
    );
  });

  /** A manager that has started and has reconciled the meal soup. */
  async function begin(options: Partial<ManagerOptions>) {
    const arranged = arrange({ reports: { events: false, conditions: false }, ...options });
    const { manager, runtime, transport } = arranged;
    const starting = manager.start();
    await runtime.advance(0);
    transport.last.head().lines(event("ADDED", meal("soup", "3")), bookmark("5", true));
    await runtime.advance(100);
    await starting;
    return arranged;
  }

  it("waits 30 s for what runs, says so every 5 s, and no longer", async () => {
    const lines: string[] = [];
    const log = { ...silentLog, info: (message: string) => void lines.push(message) };
    let aborted: AbortSignal | undefined;
    const hangs = defineController(Meal, {
      reconcile({ signal }) {
        aborted = signal;
        return new Promise(() => {});
      },
    });
    const { manager, runtime } = await begin({ controllers: [hangs], log });
    let hasStopped = false;
    const stopping = manager.stop().then(() => (hasStopped = true));
    await runtime.advance(29_999);
    assert.deepEqual([hasStopped, aborted?.aborted], [false, false]);
    const said = (): number => lines.filter((line) => line.startsWith("stopping: ")).length;
    assert.equal(said(), 6);
    await runtime.advance(1);
    assert.equal(aborted?.aborted, true);
    await runtime.advance(200);
    await stopping;
    await runtime.advance(60_000);
    assert.equal(said(), 6, "it goes on after the stop");
  });

  it("takes a timeout of a reconcile in milliseconds", async () => {
    const hangs = defineController(Meal, { timeout: 5000, reconcile: () => new Promise(() => {}) });
    const { manager, runtime } = await begin({ controllers: [hangs], shutdownTimeoutMs: 1 });
    const at = () => manager.states()[0]?.progress.at;
    await runtime.advance(4800);
    assert.equal(at(), "running");
    await runtime.advance(200);
    assert.equal(at(), "stalled");
    const stopping = manager.stop();
    await runtime.advance(1000);
    await stopping;
  });

  it("leaves no timer and no request behind, whether it was started, starting or failed", async () => {
    const lines: string[] = [];
    const say = (message: string): void => void lines.push(message);
    const log = { debug: say, info: say, warn: say, error: say };
    const stopped = async (begin: (arranged: ReturnType<typeof arrange>) => Promise<void>) => {
      const arranged = arrange({ log, syncTimeoutMs: 5000 });
      const starting = arranged.manager.start().catch(() => {});
      await arranged.runtime.advance(0);
      await begin(arranged);
      const stopping = arranged.manager.stop();
      await arranged.runtime.advance(0);
      await Promise.all([starting, stopping]);
      assert.equal(arranged.runtime.nextTimerMs(), undefined);
      assert.equal(open(arranged.transport), 0);
      const said = lines.splice(0);
      for (const one of arranged.transport.exchanges)
        one.head().lines(event("ADDED", meal("a", "9")));
      await arranged.runtime.advance(60_000);
      assert.deepEqual(lines.splice(0), []);
      return said;
    };
    const started = await stopped(async ({ transport, runtime }) => {
      transport.last.head().lines(event("ADDED", meal("soup", "3")), bookmark("5", true));
      await runtime.advance(100);
    });
    const end = ["started op", "stopping op", "caches stopped", "stopped op"];
    assert.deepEqual(started.slice(-4), end);
    assert.equal((await stopped(async () => {})).includes("started op"), false);
    await stopped(({ runtime }) => runtime.advance(5000));
  });
});
