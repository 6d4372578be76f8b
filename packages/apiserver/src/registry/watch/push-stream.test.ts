import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectChange } from "homeostat/api";
import { PushStream } from "./push-stream.ts";

const frame = (i: number): Uint8Array => new TextEncoder().encode(`${i}`);

/** A receiver that takes `room` frames, and then none until `take` is called. */
function arrange(room: number) {
  const seen: number[] = [];
  const log = { ended: 0, closed: 0, most: 0 };
  const sink = {
    data(bytes: Uint8Array) {
      seen.push(Number(new TextDecoder().decode(bytes)));
      return --room > 0;
    },
    end: () => void log.ended++,
  };
  const stream = new PushStream(sink, () => void log.closed++);
  const take = (frames: number): void => {
    room = frames;
    stream.resume();
  };
  return { stream, seen, log, take };
}
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test("a receiver that falls 20,000 changes behind is cut off", () => {
  const { stream, log } = arrange(1);
  for (let i = 0; i <= 20_000; i++) stream.push(frame(i));
  assert.deepEqual([stream.open, log.ended], [true, 0]);
  stream.push(frame(20_001));
  assert.deepEqual([stream.open, log.ended, log.closed], [false, 1, 1]);
});

test("what is fed is made as the receiver takes it, whatever its size", () => {
  const { stream, seen, log, take } = arrange(10);
  let made = 0;
  let isDone = false;
  function* frames() {
    for (; made < 50_000; made++) yield frame(made);
  }
  stream.feed(frames(), () => (isDone = true));
  assert.equal(made, 9);
  take(1000);
  assert.deepEqual([made, isDone], [1009, false]);
  take(Infinity);
  assert.ok(isDone);
  assert.deepEqual(seen, upTo(50_000));
  assert.equal(log.ended, 0);
});

test("a backlog does not count as falling behind; the changes after it do", () => {
  const { stream, seen, take } = arrange(1);
  stream.withoutLimit(() => upTo(30_001).forEach((i) => stream.push(frame(i))));
  for (let i = 30_001; i <= 50_000; i++) stream.push(frame(i));
  assert.ok(stream.open);
  take(100);
  assert.ok(stream.open);
  take(Infinity);
  assert.deepEqual(seen, upTo(50_001));
  take(1);
  for (let i = 0; i <= 20_001; i++) stream.push(frame(i));
  assert.equal(stream.open, false, "the limit is the usual one again");
});

test("a stream that is closed is fed no more", () => {
  const { stream, seen, take } = arrange(2);
  let isDone = false;
  stream.feed(upTo(100).map(frame)[Symbol.iterator](), () => (isDone = true));
  stream.close();
  take(Infinity);
  assert.deepEqual([seen, isDone], [[0, 1], false]);
});

test("a receiver that takes a little at a time, and falls further behind, is cut off", () => {
  const { stream, take } = arrange(1);
  let pushed = 0;
  for (; stream.open && pushed < 100_000; pushed++) {
    stream.push(frame(pushed));
    if (pushed % 1000 === 999) take(10);
  }
  assert.ok(pushed > 20_000 && pushed < 21_000, `${pushed}`);
});

test("changes without text are taken in turn with frames, and not while frames are held back", () => {
  const seen: string[] = [];
  let isReady = true;
  const stream = new PushStream(
    {
      data: (bytes) => (seen.push(new TextDecoder().decode(bytes)), isReady),
      change: ({ name }) => (seen.push(name), isReady),
      end() {},
    },
    () => {},
  );
  const change = { name: "a" } as ObjectChange;
  stream.push(frame(1));
  assert.ok(stream.takesChanges);
  isReady = false;
  stream.change(change);
  assert.equal(stream.takesChanges, false);
  stream.push(frame(2));
  isReady = true;
  stream.resume();
  assert.ok(stream.takesChanges);
  assert.deepEqual(seen, ["1", "a", "2"]);
  stream.close();
  assert.equal(stream.takesChanges, false);
  assert.equal(arrange(1).stream.takesChanges, false, "a receiver of bytes only");
});
