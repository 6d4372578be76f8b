// What the options of a call and the scope of a client do to any request: time limits, dry runs,
// and where warnings go.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client, CompletedWrite } from "./client.ts";
import { Order, order, play } from "./scripted-client.suite.ts";
import type { ScriptedExchange } from "./scripted-transport.suite.ts";
import { send } from "./session.ts";
import type { SessionOptions } from "./session-options.ts";

describe("time limits", () => {
  it("totalTimeoutMs ends a call with its retries and pauses", async () => {
    const { client, transport, runtime } = play((exchange) =>
      exchange.refuse(429, "TooManyRequests", { retryAfterSeconds: 1 }),
    );
    const reading = assert.rejects(client.get(Order, "o1", { totalTimeoutMs: 2500 }), {
      code: "ERR_CLIENT_TIMEOUT",
      message: /GET .*orders\/o1: expected an answer within 2500 ms of the first attempt/,
    });
    await runtime.advance(2499);
    assert.equal(transport.exchanges.length, 3);
    await runtime.advance(1);
    await reading;
    await runtime.advance(60_000);
    assert.equal(transport.exchanges.length, 3);
  });

  it("totalTimeoutMs aborts the attempt under way, and no later call", async () => {
    const { client, transport, runtime } = play();
    const reading = assert.rejects(client.get(Order, "o1", { totalTimeoutMs: 10 }), /10 ms/);
    await runtime.advance(10);
    await reading;
    assert.equal(transport.last.aborted, true);
    const abort = new AbortController();
    const options = { totalTimeoutMs: 10, signal: abort.signal };
    const cancelled = assert.rejects(client.get(Order, "o1", options), /enough/);
    await runtime.advance(5);
    abort.abort(new Error("enough"));
    await cancelled;
  });

  it("a call does not wait for credentials longer than it may", async () => {
    const { client, transport, runtime } = play();
    const session = {
      transport,
      runtime,
      pace: client.pace,
      observer: {},
      credentials: { headers: () => new Promise(() => {}), rejected: async () => false },
    } as unknown as SessionOptions;
    const scope = { signals: [], fences: [] } as never;
    const request = { method: "GET", path: "/api/v1/nodes" } as const;
    const reading = assert.rejects(send(session, scope, request, { totalTimeoutMs: 10 }), /10 ms/);
    await runtime.advance(10);
    await reading;
  });

  it("serverTimeoutMs is the server's", async () => {
    const { client, transport } = play((exchange) => exchange.answer(200, order()));
    await client.update(Order, order(), { serverTimeoutMs: 1500, dryRun: "All" });
    assert.deepEqual(transport.last.query, { dryRun: "All", timeout: "1500ms" });
    await client.delete(Order, "o1", { serverTimeoutMs: 5000 });
    assert.deepEqual(transport.last.query, { timeout: "5000ms" });
  });

  it("are refused when they are no numbers, or of a watch", async () => {
    const { client } = play();
    await assert.rejects(
      client.get(Order, "o1", { totalTimeoutMs: "1s" as never }),
      /client.get\(Order, …\): totalTimeoutMs is .*1s.*, expected a number/,
    );
    assert.throws(
      () => client.watch(Order, { timeoutMs: 5 } as never),
      /client.watch\(Order, …\): timeoutMs: unknown option/,
    );
  });
});

describe("a client of dry runs", () => {
  it("sends every write as one, and observes none", async () => {
    const { client, transport } = play((exchange) => exchange.answer(200, order()));
    const written: CompletedWrite[] = [];
    const dry = client.with({ dryRun: "All", written: (write) => written.push(write) });
    client.observeWrites((write) => written.push(write));
    const deletion = { kind: "DeleteOptions", apiVersion: "v1", dryRun: ["All"] };
    const writes: readonly ((client: Client) => Promise<unknown>)[] = [
      () => dry.create(Order, order()),
      () => dry.update(Order, order(), { subresource: "status" }),
      () => dry.patch(Order, "o1", { type: "merge", body: {} }),
      () => dry.apply(Order, order()),
      () => dry.applyUnread(Order, order()),
      () => client.applyUnread(Order, order(), { as: { dryRun: "All" } }),
      () => dry.with({ namespace: "away" }).create(Order, order()),
      () => dry.request({ method: "POST", path: "/apis/a/v1/things", body: {} }),
      () => dry.request({ method: "DELETE", path: "/apis/a/v1/things/a" }),
    ];
    for (const write of writes) {
      await write(client);
      assert.equal(transport.last.query["dryRun"], "All", transport.last.request.path);
    }
    for (const remove of [
      () => dry.delete(Order, "o1"),
      () => dry.deleteCollection(Order, { namespace: "home", labelSelector: "a=b" }),
    ]) {
      await remove();
      assert.deepEqual(transport.last.body, deletion);
    }
    assert.deepEqual(written, []);
    await dry.get(Order, "o1");
    assert.deepEqual(transport.last.query, {});
    await client.delete(Order, "o1");
    assert.equal(written.length, 1);
  });

  it("refuses a deletion whose options it cannot read", async () => {
    const { client } = play();
    const body = new TextEncoder().encode("{}");
    await assert.rejects(
      client.with({ dryRun: "All" }).request({ method: "DELETE", path: "/api/v1/nodes/n1", body }),
      /ERR_ARGUMENT: a deletion in a dry run: .* expected DeleteOptions as an object/,
    );
  });
});

describe("warnings that nothing takes", () => {
  it("go to standard error, each text once", async (test) => {
    const lines: string[] = [];
    const warning = '299 - "old"\n299 - "kind is deprecated"';
    const respond = (exchange: ScriptedExchange): void =>
      exchange.answer(200, order(), { warning });
    const { client } = play(respond);
    const write = test.mock.method(process.stderr, "write", (line: string) => lines.push(line) > 0);
    await client.get(Order, "o1");
    await client.update(Order, order());
    const heard: string[] = [];
    const other = play(respond).client.with({ warned: (text) => heard.push(text) });
    await other.get(Order, "o1");
    await play(respond, { observer: { warned: () => {} } }).client.get(Order, "o1");
    write.mock.restore();
    assert.deepEqual(lines, ["Warning: old\n", "Warning: kind is deprecated\n"]);
    assert.deepEqual(heard, ["old", "kind is deprecated"]);
  });
});
