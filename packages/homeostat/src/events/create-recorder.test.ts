// Events as a user sees them: the first at once, repeats as a series, never an exception.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "../client/create-client.ts";
import {
  createScriptedTransport,
  type ScriptedExchange,
  type ScriptedTransport,
} from "../client/scripted-transport.suite.ts";
import { createVirtualRuntime, type VirtualRuntime } from "../runtime/virtual-runtime.ts";
import { createEventRecorder, type EventRecorderOptions } from "./create-recorder.ts";
import { objectReference } from "./object-reference.ts";
import type { EventRecorder, RecordedEvent } from "./recorder.ts";

const order = {
  apiVersion: "kitchen.example.com/v1",
  kind: "Order",
  metadata: {
    name: "o1",
    namespace: "home",
    uid: "u1",
    resourceVersion: "5",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
};
const note: RecordedEvent = {
  regarding: objectReference(order, order),
  type: "Normal",
  reason: "Cooked",
  action: "Cook",
  note: "cooked soup",
};

function play(
  respond: (exchange: ScriptedExchange) => void = (exchange) => exchange.answer(201, {}),
  more: Partial<EventRecorderOptions> = {},
): {
  readonly recorder: EventRecorder;
  readonly transport: ScriptedTransport;
  readonly runtime: VirtualRuntime;
} {
  const runtime = createVirtualRuntime({ startMs: Date.parse("2026-01-01T00:00:00.123Z") });
  const transport = createScriptedTransport(respond);
  const client = createClient({ transport, runtime });
  return {
    recorder: createEventRecorder({
      client,
      runtime,
      controller: "kitchen.example.com/orders",
      instance: "pod-1",
      ...more,
    }),
    transport,
    runtime,
  };
}

describe("event recorder", () => {
  it("drops Events of an unsupported type, and names each type once", async () => {
    const warned: string[] = [];
    const { recorder, transport, runtime } = play(undefined, {
      warn: (message) => void warned.push(message),
    });
    for (const type of ["Info", "Info", undefined])
      recorder.record({ ...note, type: type as never });
    await runtime.advance(0);
    assert.equal(transport.exchanges.length, 0);
    assert.deepEqual(recorder.stats(), { sent: 0, dropped: 3, failed: 0 });
    assert.deepEqual(
      warned,
      ["'Info'", "undefined"].map(
        (type) =>
          `ERR_EVENT_TYPE: recording Cooked on Order o1: unsupported event type ${type}, expected Normal or Warning; the Event is dropped`,
      ),
    );
  });

  it("cuts a note to the bytes that a server takes, between characters", async () => {
    for (const [text, kept] of [
      ["ü".repeat(600), "ü".repeat(512)],
      [`x${"😀".repeat(300)}`, `x${"😀".repeat(255)}`],
      ["x".repeat(1024), "x".repeat(1024)],
    ] as const) {
      const { recorder, transport, runtime } = play();
      recorder.record({ ...note, note: text });
      await runtime.advance(0);
      assert.equal((transport.last.body as any).note, kept);
    }
  });

  it("sends an event in the object's namespace", async () => {
    const { recorder, transport, runtime } = play();
    recorder.record({
      ...note,
      note: "x".repeat(2000),
      related: { ...note.regarding, name: "o2", uid: "u2" },
    });
    await runtime.advance(0);
    assert.equal(transport.last.url.pathname, "/apis/events.k8s.io/v1/namespaces/home/events");
    const { metadata, note: text, ...event } = transport.last.body as any;
    assert.match(metadata.name, /^o1\.[0-9a-f]+$/);
    assert.equal(text.length, 1024);
    assert.deepEqual(event, {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      eventTime: "2026-01-01T00:00:00.123000Z",
      reportingController: "kitchen.example.com/orders",
      reportingInstance: "pod-1",
      action: "Cook",
      reason: "Cooked",
      type: "Normal",
      regarding: {
        apiVersion: "kitchen.example.com/v1",
        kind: "Order",
        name: "o1",
        uid: "u1",
        resourceVersion: "5",
        namespace: "home",
      },
      related: {
        apiVersion: "kitchen.example.com/v1",
        kind: "Order",
        name: "o2",
        uid: "u2",
        resourceVersion: "5",
        namespace: "home",
      },
    });
  });

  it("makes a series of repeats: the second is sent, further ones are counted and sent when the series ends", async () => {
    const { recorder, transport, runtime } = play();
    for (let i = 0; i < 5; i++) {
      recorder.record(note);
      await runtime.advance(1000);
    }
    assert.deepEqual(
      transport.exchanges.map(({ request }) => request.method),
      ["POST", "PATCH"],
    );
    assert.deepEqual(transport.last.body, {
      series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.123000Z" },
    });
    await runtime.advance(800_000);
    assert.equal(transport.exchanges.length, 3);
    assert.equal((transport.last.body as any).series.count, 5);
    assert.equal(runtime.nextTimerMs(), undefined, "nothing is left to do");
    recorder.record(note);
    await runtime.advance(0);
    assert.equal(transport.last.request.method, "POST", "a new series begins");
  });

  it("keeps events of different reasons or objects apart", async () => {
    const { recorder, transport, runtime } = play();
    recorder.record(note);
    recorder.record({ ...note, reason: "Burnt" });
    recorder.record({
      ...note,
      regarding: { ...note.regarding, uid: "other" },
    });
    await runtime.advance(0);
    assert.deepEqual(
      transport.exchanges.map(({ request }) => request.method),
      ["POST", "POST", "POST"],
    );
  });

  it("writes the event again when it has expired under the series", async () => {
    const { recorder, transport, runtime } = play((exchange) =>
      exchange.request.method === "PATCH"
        ? exchange.refuse(404, "NotFound")
        : exchange.answer(201, {}),
    );
    recorder.record(note);
    recorder.record(note);
    await runtime.advance(0);
    assert.deepEqual(
      transport.exchanges.map(({ request }) => request.method),
      ["POST", "PATCH", "POST"],
    );
    assert.equal((transport.last.body as any).series.count, 2);
  });

  it("counts events that do not fit into the queue or are refused, and throws nothing", async () => {
    const { recorder, runtime } = play((exchange) => exchange.refuse(403, "Forbidden"), {
      pendingKept: 2,
    });
    for (let i = 0; i < 5; i++) recorder.record({ ...note, reason: `R${i}` });
    await runtime.advance(0);
    await recorder.close();
    assert.deepEqual(recorder.stats(), { sent: 0, dropped: 2, failed: 3 });
  });

  it("names an event with a UUID when the object's name is not the start of a valid one", async () => {
    const { recorder, transport, runtime } = play();
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const [name, expected] of [
      ["system:node", uuid],
      ["n".repeat(237), uuid],
      ["n".repeat(236), /^n{236}\.[0-9a-f]+$/],
    ] as const) {
      recorder.record({ ...note, regarding: { ...note.regarding, name, uid: name } });
      await runtime.advance(0);
      assert.match((transport.last.body as any).metadata.name, expected);
    }
  });

  it("sends an event that is recorded in any turn after the last response", async () => {
    for (let turns = 0; turns < 40; turns++) {
      const { recorder, transport, runtime } = play(() => {});
      recorder.record(note);
      await runtime.advance(0);
      transport.last.answer(201);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      recorder.record({ ...note, reason: "Burnt" });
      await runtime.advance(0);
      assert.equal(transport.exchanges.length, 2, `recorded after ${turns} turns`);
    }
  });

  it("waits in close for what is pending, and records nothing afterwards", async () => {
    const { recorder, transport, runtime } = play(() => {});
    recorder.record(note);
    recorder.record({ ...note, reason: "Burnt" });
    let isClosed = false;
    const closing = recorder.close().then(() => (isClosed = true));
    recorder.record({ ...note, reason: "Late" });
    for (const sent of [1, 2]) {
      await runtime.advance(0);
      assert.deepEqual([transport.exchanges.length, isClosed], [sent, false]);
      transport.last.answer(201);
    }
    await closing;
    recorder.record({ ...note, reason: "Later" });
    await runtime.advance(1_000_000);
    assert.equal(transport.exchanges.length, 2);
    assert.deepEqual(recorder.stats(), { sent: 2, dropped: 0, failed: 0 });
    assert.equal(runtime.nextTimerMs(), undefined, "neither a sweep nor a deadline is left");
  });

  it("drops in close what is not sent by the deadline, and says so once", async () => {
    const warnings: string[] = [];
    const { recorder, transport, runtime } = play(() => {}, {
      closeTimeoutMs: 300,
      warn: (message) => warnings.push(message),
    });
    for (const reason of ["A", "B", "C"]) recorder.record({ ...note, reason });
    await runtime.advance(0);
    let isClosed = false;
    const closing = Promise.all([recorder.close(), recorder.close()]).then(() => (isClosed = true));
    await runtime.advance(299);
    assert.deepEqual([isClosed, warnings], [false, []]);
    await runtime.advance(1);
    await closing;
    assert.deepEqual(
      [transport.exchanges.length, transport.last.aborted, recorder.stats()],
      [1, true, { sent: 0, dropped: 3, failed: 0 }],
    );
    assert.deepEqual(warnings, [
      "close the event recorder of kitchen.example.com/orders: 3 Events were not sent within 300 ms and are dropped; check whether the server answers, or raise closeTimeoutMs",
    ]);
  });

  it("closes once, however often it is closed", () => {
    const { recorder } = play(() => {});
    recorder.record(note);
    assert.equal(recorder.close(), recorder.close());
  });

  it("closes at once when nothing is pending", async () => {
    const { recorder, runtime } = play();
    recorder.record(note);
    await runtime.advance(0);
    await recorder.close();
    assert.equal(runtime.nextTimerMs(), undefined);
  });

  it("reports a refusal of the server once for each namespace, and no ordinary one", async () => {
    const warnings: string[] = [];
    const answers = {
      forbidden: { code: 403, message: "events is forbidden" },
      going: { code: 403, details: { causes: [{ reason: "NamespaceTerminating" }] } },
      gone: { code: 404, reason: "NotFound" },
      down: { code: 503 },
      busy: { code: 429 },
    };
    const { recorder, runtime } = play(
      (exchange) => {
        const [, namespace] = /namespaces\/(\w+)\//.exec(exchange.request.path)!;
        const status = answers[namespace as keyof typeof answers] ?? answers.forbidden;
        exchange.answer(status.code, { kind: "Status", apiVersion: "v1", ...status });
      },
      { warn: (message) => void warnings.push(message) },
    );
    for (const namespace of ["going", "gone", "down", "busy", "forbidden", "forbidden", "other"])
      recorder.record({
        ...note,
        regarding: { ...note.regarding, namespace },
        note: `${warnings.length} ${namespace}`,
        reason: `R${namespace}`,
      });
    for (let i = 0; i < 30; i++) await runtime.advance(10_000);
    assert.deepEqual(
      warnings,
      ["forbidden", "other"].map(
        (namespace) =>
          `the server refuses Events of kitchen.example.com/orders in namespace ${namespace}: events is forbidden`,
      ),
    );
    assert.equal(recorder.stats().sent, 0);
  });
});
