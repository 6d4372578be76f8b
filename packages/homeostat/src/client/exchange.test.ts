import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import type { Sink, Transport } from "../api/transport.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { exchange } from "./exchange.ts";

const request = { method: "GET", path: "/", headers: {} } as const;

function play(send: (sink: Sink, abort: AbortController) => void) {
  const runtime = createVirtualRuntime();
  const { clock } = runtime;
  const abort = new AbortController();
  const aborted: unknown[] = [];
  const transport = {
    send(_: unknown, sink: Sink) {
      send(sink, abort);
      return {
        abort(error: Error) {
          aborted.push(error.message);
          sink.fail(error);
        },
      };
    },
  } as unknown as Transport;
  const answer = exchange(transport, request, { clock, signal: abort.signal, timeoutMs: 1000 });
  const left = () => [runtime.nextTimerMs(), getEventListeners(abort.signal, "abort").length];
  return { aborted, answer, left, runtime };
}

test("an abort while the transport sends ends the exchange", async () => {
  const { aborted, answer } = play((_, abort) => abort.abort(new Error("now")));
  assert.deepEqual(aborted, ["now"]);
  await assert.rejects(answer, { message: "now" });
});

test("an answer is complete with its end, whatever comes later", async () => {
  for (const chunks of [[], ["a"], ["a", "b", "c"]]) {
    const { answer } = play((given, abort) => {
      const sink = { ...given };
      sink.head(200, { a: "b" });
      for (const chunk of chunks) sink.data(new TextEncoder().encode(chunk));
      sink.end();
      abort.abort();
      sink.fail(new Error("late"));
    });
    const { status, headers, body } = await answer;
    assert.deepEqual([status, headers], [200, { a: "b" }]);
    assert.equal(new TextDecoder().decode(body), chunks.join(""));
  }
});

test("a timeout aborts the request; no end leaves a timer or a listener behind", async () => {
  const late = play(() => {});
  void late.answer.catch(() => {});
  await late.runtime.advance(1000);
  assert.equal(late.aborted.length, 1);
  await assert.rejects(late.answer, { code: "ERR_CLIENT_TIMEOUT" });
  const ended = play((sink) => sink.end());
  await ended.answer;
  const thrown = play(() => {
    throw new Error("refused");
  });
  await assert.rejects(thrown.answer, { message: "refused" });
  for (const { left } of [late, ended, thrown]) assert.deepEqual(left(), [undefined, 0]);
});

test("nothing is sent for a signal that has aborted", async () => {
  const transport = { send: () => assert.fail("sent") } as unknown as Transport;
  const { clock } = createVirtualRuntime();
  const signal = AbortSignal.abort(new Error("before"));
  await assert.rejects(exchange(transport, request, { clock, signal }), { message: "before" });
});
