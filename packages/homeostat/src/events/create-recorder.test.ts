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
import { createEventRecorder } from "./create-recorder.ts";
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
  pendingKept?: number,
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
      ...(pendingKept === undefined ? {} : { pendingKept }),
    }),
    transport,
    runtime,
  };
}

describe("event recorder", () => {
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

  it("keeps different things apart", async () => {
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

  it("drops and counts what cannot be told, and throws nothing", async () => {
    const { recorder, runtime } = play((exchange) => exchange.refuse(403, "Forbidden"), 2);
    for (let i = 0; i < 5; i++) recorder.record({ ...note, reason: `R${i}` });
    await runtime.advance(0);
    await recorder.close();
    assert.deepEqual(recorder.stats(), { sent: 0, dropped: 2, failed: 3 });
  });
});
