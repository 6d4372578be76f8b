import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sink, Transport } from "../api/transport.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { exchange } from "./exchange.ts";

const request = { method: "GET", path: "/", headers: {} } as const;

function play(send: (sink: Sink, abort: AbortController) => void) {
  const { clock } = createVirtualRuntime();
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
  return { aborted, answer: exchange(transport, request, { clock, signal: abort.signal }) };
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
