import assert from "node:assert/strict";
import { it } from "node:test";
import type { Seen, Viewer } from "../viewer.ts";
import { eventNames, StreamEvent } from "./stream-event.ts";
import { StreamReader } from "./stream-reader.ts";

const seen: Seen = { group: "g", resource: "boxes", namespace: "a" };
const about = { controller: "boxes", namespace: "a", seen };

function arrange(viewer?: Viewer) {
  const at = { now: 0 };
  const told: string[] = [];
  const sink = { isFull: false, drained: (): void => {}, closed: (): void => {} };
  const reader = new StreamReader({
    query: { names: new Set(eventNames), controller: undefined, namespace: undefined },
    viewer,
    now: () => at.now,
    closed: () => told.push("(closed)"),
  });
  reader.attach({
    write(text) {
      told.push(text);
      return !sink.isFull;
    },
    onDrain: (drained) => (sink.drained = drained),
    onClose: (closed) => (sink.closed = closed),
    end: () => told.push("(end)"),
    destroy: () => told.push("(destroy)"),
  });
  const tell = (text: string, of: typeof about | null = about): void => {
    reader.take(new StreamEvent("object", of ?? undefined, () => ({ text })));
    reader.flush();
  };
  return { at, told, sink, reader, tell };
}

it("a reader that is behind gets the events that fit, and is told how many did not", () => {
  const { told, sink, tell } = arrange();
  sink.isFull = true;
  tell("first");
  tell("second");
  for (let i = 0; i < 3; i++) tell("x".repeat(100_000));
  assert.equal(told.length, 1, "nothing is sent before it drains");
  sink.isFull = false;
  sink.drained();
  assert.equal(told.length, 3);
  assert.match(told[1]!, /second[^]*xxx/);
  assert.equal(told[2], 'event: missed\ndata: {"missed":2}\n\n');
  tell("after");
  assert.equal(told[3], 'event: object\ndata: {"text":"after"}\n\n');
});

it("a reader that takes nothing for a minute is left", () => {
  const { at, told, sink, reader, tell } = arrange();
  sink.isFull = true;
  tell("first");
  at.now = 59_999;
  reader.beat();
  assert.equal(told.at(-1)!.includes("first"), true);
  at.now = 60_000;
  reader.beat();
  assert.equal(told.at(-1), "(destroy)");
  sink.closed();
  assert.deepEqual(told.slice(-2), ["(destroy)", "(closed)"]);
  tell("later");
  assert.equal(told.at(-1), "(closed)", "it is told nothing more");
});

it("a reader that reads hears a heartbeat, and connects again after half an hour", () => {
  const { at, told, reader } = arrange();
  reader.beat();
  reader.flush();
  assert.deepEqual(told, [": heartbeat\n\n"]);
  at.now = 30 * 60_000;
  reader.beat();
  assert.match(told[1]!, /event: end\ndata: \{"because":"connect again"\}/);
  assert.deepEqual(told.slice(2), ["(end)", "(closed)"]);
});

it("the end does not wait for a reader that is behind", () => {
  const { told, sink, reader, tell } = arrange();
  sink.isFull = true;
  tell("first");
  reader.close("the manager has stopped");
  assert.deepEqual(told.slice(1), ["(destroy)", "(closed)"]);
});

it("what comes before a verdict is counted as missed or hidden, and denied later on", async () => {
  let answer = Promise.withResolvers<boolean>();
  const { at, told, reader, tell } = arrange({ mayGet: () => answer.promise });
  tell("early");
  tell("a part", null);
  assert.equal(told.length, 1, "parts are no objects");
  answer.resolve(true);
  await new Promise(setImmediate);
  tell("seen");
  assert.match(told[1]!, /seen/);
  assert.match(told[2]!, /"missed":1/);
  answer = Promise.withResolvers<boolean>();
  at.now = 30_001;
  tell("while it is asked again");
  assert.match(told[3]!, /again/);
  answer.resolve(false);
  await new Promise(setImmediate);
  tell("denied");
  reader.beat();
  reader.flush();
  assert.equal(told[4], 'event: hidden\ndata: {"hidden":1}\n\n: heartbeat\n\n');
});

it("a verdict that cannot be had hides", async () => {
  const { told, reader, tell } = arrange({ mayGet: () => Promise.reject(new Error("down")) });
  await reader.sight!.learn([seen]);
  tell("one");
  assert.deepEqual(told, []);
});
