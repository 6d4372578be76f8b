// core/v1 Events as control plane components record them: a repeated event increases the count.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Client, createClient, dynamicKind } from "homeostat/client";
import { createSystemRuntime, type Runtime } from "homeostat/runtime";
import type { ApiServer } from "../../packages/apiserver/src/api-server-options.ts";
import { startApiServer } from "../../packages/apiserver/src/start-api-server.ts";
import { createEventRecorder, type RecordedEvent } from "homeostat/events";

const Event = dynamicKind({
  apiVersion: "v1",
  kind: "Event",
  resource: "events",
  scope: "Namespaced",
});
const about = (name: string, namespace = "default"): RecordedEvent => ({
  regarding: { apiVersion: "v1", kind: "Pod", namespace, name, uid: `uid-of-${name}` },
  type: "Normal",
  reason: "Tried",
  note: "it was tried",
});

describe("core/v1 Events", { timeout: 30_000 }, () => {
  let server: ApiServer;
  let client: Client;
  /** Stands still unless moved. */
  let now = Date.parse("2026-01-01T00:00:00.250Z");
  const system = createSystemRuntime();
  const runtime: Runtime = {
    ...system,
    clock: {
      ...system.clock,
      monotonic: () => system.clock.monotonic(),
      timer: (afterMs, run) => system.clock.timer(afterMs, run),
      now: () => now,
    },
  };
  before(async () => {
    server = await startApiServer({ listen: false, controllers: "none" });
    client = createClient({ transport: server.transport() });
  });
  after(async () => {
    await client.close();
    await server.close();
  });
  const told = async (name: string): Promise<readonly any[]> =>
    (await client.list(Event, { fieldSelector: `involvedObject.name=${name}` })).items;

  /** Tells and waits until it is told. */
  async function tell(events: readonly RecordedEvent[]): Promise<void> {
    const recorder = createEventRecorder({ client, runtime, controller: "tester", api: "v1" });
    for (const [i, event] of events.entries()) {
      now += 60_000;
      recorder.record(event);
      const { name = "" } = event.regarding;
      while (
        (await told(name)).reduce((sum: number, one) => sum + one.count, 0) <
        events.slice(0, i + 1).filter(({ regarding }) => regarding.name === name).length
      )
        await new Promise((resolve) => setImmediate(resolve));
    }
    await recorder.close();
  }

  test("name the object, the moment and the component", async () => {
    await tell([about("a")]);
    const [event] = await told("a");
    assert.match(event.metadata.name, /^a\.[0-9a-f]{16}$/);
    assert.deepEqual(
      [event.firstTimestamp, event.lastTimestamp, event.count],
      ["2026-01-01T00:01:00Z", "2026-01-01T00:01:00Z", 1],
    );
    assert.deepEqual(
      [event.source, event.reportingComponent, event.involvedObject.uid],
      [{ component: "tester" }, "tester", "uid-of-a"],
    );
  });

  test("count repeats", async () => {
    await tell([about("b"), about("b"), { ...about("b"), note: "it was tried again" }]);
    const events = await told("b");
    assert.deepEqual(events.map(({ count, message }) => [count, message]).sort(), [
      [1, "it was tried again"],
      [2, "it was tried"],
    ]);
    const twice = events.find(({ count }) => count === 2);
    assert.equal(Date.parse(twice.lastTimestamp) - Date.parse(twice.firstTimestamp), 60_000);
  });

  test("of one reason are combined when there are many, with the last message", async () => {
    await tell(Array.from({ length: 12 }, (_, i) => ({ ...about("d"), note: `try ${i}` })));
    const events = await told("d");
    assert.deepEqual(
      events.map(({ count, message }) => `${count} ${message}`).sort(),
      [
        ...Array.from({ length: 9 }, (_, i) => `1 try ${i}`),
        "3 (combined from similar events): try 11",
      ].sort(),
    );
  });

  test("refer to the object's revision at the time of the event", async () => {
    const { regarding } = about("e");
    await tell(
      [1, 2].map((revision) => ({
        ...about("e"),
        regarding: { ...regarding, resourceVersion: String(revision) },
      })),
    );
    const [event] = await told("e");
    assert.deepEqual([event.count, event.involvedObject.resourceVersion], [2, "1"]);
  });

  test("of cluster-wide objects are in the default namespace, with a valid name", async () => {
    await tell([about("system:role", "")]);
    const [event] = await told("system:role");
    assert.equal(event.metadata.namespace, "default");
    assert.match(event.metadata.name, /^[0-9a-f-]{36}$/);
    assert.equal(event.involvedObject.namespace, undefined);
  });
});
