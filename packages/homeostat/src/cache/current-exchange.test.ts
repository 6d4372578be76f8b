import assert from "node:assert/strict";
import { test } from "node:test";
import type { ByteStreamHandlers } from "../client/client.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { CurrentExchange } from "./current-exchange.ts";

function begin(onData: () => void = () => {}) {
  const runtime = createVirtualRuntime();
  const happened: string[] = [];
  const say = (what: string): void => void happened.push(what);
  const streams: ByteStreamHandlers[] = [];
  const exchange = new CurrentExchange({
    clock: runtime.clock,
    client: {
      openStream(_, handlers) {
        const name = `stream ${streams.push(handlers)}`;
        return { resume() {}, close: () => say(`${name} closed`) };
      },
    },
    contact: () => say("contact"),
    failed: (error) => say(`failed: ${String(error)}`),
    late: (lateMs) => say(`late by ${lateMs}`),
  });
  const open = (): ByteStreamHandlers => {
    exchange.open(
      { method: "GET", path: "/x" },
      {
        opened: () => say("opened"),
        data() {
          say("data");
          onData();
        },
        ended: () => say("ended"),
      },
    );
    return streams.at(-1)!;
  };
  return { runtime, exchange, open, happened };
}
const chunk = new Uint8Array();

test("whatever comes is contact first; what a handler throws is a failure", () => {
  const { open, happened } = begin(() => assert.fail("unreadable"));
  const stream = open();
  stream.opened({});
  stream.data(chunk);
  stream.closed(undefined);
  assert.deepEqual(happened, [
    "opened",
    "contact",
    "data",
    "failed: AssertionError [ERR_ASSERTION]: unreadable",
    "ended",
  ]);
});

test("what comes late from a watch that was given up shows how late, and nothing else", async () => {
  const { runtime, exchange, open, happened } = begin();
  await runtime.advance(5000);
  const stream = open();
  exchange.linger(runtime.clock.monotonic(), 1000);
  await runtime.advance(300);
  stream.data(chunk);
  assert.deepEqual(happened, ["stream 1 closed", "late by 300"]);
  assert.equal(runtime.nextTimerMs(), undefined);
});

test("one watch lingers at a time, and another request that breaks does not end it", async () => {
  const { runtime, exchange, open, happened } = begin();
  const first = open();
  exchange.linger(runtime.clock.monotonic(), 1000);
  const second = open();
  second.closed(new Error("reset"));
  assert.deepEqual(happened, ["failed: Error: reset"]);
  open();
  exchange.linger(runtime.clock.monotonic(), 1000);
  assert.deepEqual(happened.slice(1), ["stream 3 closed"]);
  first.data(chunk);
  assert.deepEqual(happened.slice(2), ["stream 1 closed", "late by 0"]);
});

test("a watch without changes of its own gets none", () => {
  const { open } = begin();
  assert.equal(open().change, undefined);
});

test("a watch that was given up and breaks shows nothing", () => {
  const { runtime, exchange, open, happened } = begin();
  const stream = open();
  exchange.linger(runtime.clock.monotonic(), 1000);
  stream.closed(new Error("reset"));
  assert.deepEqual(happened, ["stream 1 closed"]);
});

test("a request that was closed is heard no more", () => {
  const { exchange, open, happened } = begin();
  const stream = open();
  exchange.close();
  stream.data(chunk);
  stream.closed(new Error("aborted"));
  assert.deepEqual(happened, ["stream 1 closed"]);
});
