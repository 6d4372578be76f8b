// The client on a scripted server: what goes out, what comes back, what is tried again, what is
// thrown.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as z from "zod";
import {
  ApiStatusError,
  isApiStatusError,
  isConflict,
  isExpired,
  isNotFound,
  isUnauthorized,
} from "../api/status.ts";
import { defineResource } from "../api/resource/define-resource.ts";
import { createVirtualRuntime, type VirtualRuntime } from "../runtime/virtual-runtime.ts";
import { HomeostatError, isHomeostatError } from "../util/homeostat-error.ts";
import type { Client, CompletedWrite, WatchEvent } from "./client.ts";
import { type ClientOptions, createClient } from "./create-client.ts";
import { dynamicKind } from "./discovery/kind-resolver.ts";
import {
  createScriptedTransport,
  type ScriptedExchange,
  type ScriptedTransport,
} from "./scripted-transport.suite.ts";
import { openStream, type SessionOptions } from "./session.ts";

const Order = dynamicKind({
  apiVersion: "kitchen.example.com/v1",
  kind: "Order",
  resource: "orders",
  scope: "Namespaced",
});
const Node = dynamicKind({ apiVersion: "v1", kind: "Node", resource: "nodes", scope: "Cluster" });

interface Play {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly runtime: VirtualRuntime;
}

function play(
  respond?: (exchange: ScriptedExchange) => void,
  options: Partial<ClientOptions> = {},
): Play {
  const runtime = createVirtualRuntime();
  const transport = createScriptedTransport(respond);
  return {
    client: createClient({
      transport,
      runtime,
      namespace: "home",
      userAgent: "kitchen/1.0",
      ...options,
    }),
    transport,
    runtime,
  };
}

const order = (rest: object = {}): any => ({
  apiVersion: "kitchen.example.com/v1",
  kind: "Order",
  metadata: { name: "o1", namespace: "home", uid: "u1", resourceVersion: "5", ...rest },
  spec: { table: 4 },
});
const lost = (): Error => new HomeostatError("ERR_CLIENT_CONNECTION_LOST", "reset", { hint: "" });
const answerWith = (body: unknown) => (exchange: ScriptedExchange) => exchange.answer(200, body);

/** What one call sends. */
async function sent(
  call: (client: Client) => Promise<unknown>,
  options?: Partial<ClientOptions>,
): Promise<{ readonly line: string; readonly type: string | undefined; readonly body: unknown }> {
  const { client, transport } = play(answerWith(order()), options);
  await call(client);
  const { request, body } = transport.last;
  return { line: `${request.method} ${request.path}`, type: request.headers["content-type"], body };
}

describe("requests", () => {
  const base = "/apis/kitchen.example.com/v1/namespaces/home/orders";
  const line = async (
    call: (client: Client) => Promise<unknown>,
    options?: Partial<ClientOptions>,
  ): Promise<string> => (await sent(call, options)).line;

  it("go to the right paths", async () => {
    assert.equal(await line((client) => client.get(Order, "o1")), `GET ${base}/o1`);
    assert.equal(
      await line((client) =>
        client.get(
          Order,
          { namespace: "away", name: "o1" },
          { resourceVersion: "0", subresource: "scale" },
        ),
      ),
      "GET /apis/kitchen.example.com/v1/namespaces/away/orders/o1/scale?resourceVersion=0",
    );
    assert.equal(await line((client) => client.get(Node, "n1")), "GET /api/v1/nodes/n1");
    assert.equal(
      await line((client) =>
        client.listPage(Order, { labelSelector: "a in (b,c)", limit: 2, continue: "x" }),
      ),
      "GET /apis/kitchen.example.com/v1/orders?labelSelector=a%20in%20(b%2Cc)&limit=2&continue=x",
    );
    assert.equal(
      await line((client) => client.get(Order, { namespace: "home", name: "a:b" })),
      `GET ${base}/a%3Ab`,
    );
  });

  it("carry manager, validation and dry run on writes", async () => {
    const options = { fieldManager: "kitchen/orders" };
    assert.equal(
      await line(
        (client) => client.create(Order, order(), { dryRun: "All", fieldValidation: "Strict" }),
        options,
      ),
      `POST ${base}?fieldManager=kitchen%2Forders&fieldValidation=Strict&dryRun=All`,
    );
    assert.equal(
      await line(
        (client) => client.update(Order, order(), { subresource: "status", fieldManager: "mine" }),
        options,
      ),
      `PUT ${base}/o1/status?fieldManager=mine`,
    );
    assert.equal(
      await line(
        (client) =>
          client
            .with({ fieldManager: "derived", namespace: "away" })
            .patch(Order, "o1", { type: "merge", body: {} }),
        options,
      ),
      "PATCH /apis/kitchen.example.com/v1/namespaces/away/orders/o1?fieldManager=derived",
    );
  });

  it("say which patch they are", async () => {
    assert.equal(
      (await sent((client) => client.patch(Order, "o1", { type: "merge", body: {} }))).type,
      "application/merge-patch+json",
    );
    assert.equal(
      (await sent((client) => client.patch(Order, "o1", { type: "strategic", body: {} }))).type,
      "application/strategic-merge-patch+json",
    );
    assert.deepEqual(
      await sent((client) =>
        client.patch(Order, "o1", { type: "json", body: [{ op: "remove", path: "/spec" }] }),
      ),
      {
        line: `PATCH ${base}/o1`,
        type: "application/json-patch+json",
        body: [{ op: "remove", path: "/spec" }],
      },
    );
    assert.deepEqual(
      await sent((client) =>
        client.apply(
          Order,
          { metadata: { name: "o1" }, spec: { table: 1 } },
          { force: true, fieldManager: "m" },
        ),
      ),
      {
        line: `PATCH ${base}/o1?fieldManager=m&force=true`,
        type: "application/apply-patch+yaml",
        body: {
          apiVersion: "kitchen.example.com/v1",
          kind: "Order",
          metadata: { name: "o1" },
          spec: { table: 1 },
        },
      },
    );
  });

  it("put delete options into the body", async () => {
    assert.deepEqual(
      await sent((client) =>
        client.delete(Order, "o1", {
          preconditions: { uid: "u1" },
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
          dryRun: "All",
        }),
      ),
      {
        line: `DELETE ${base}/o1`,
        type: "application/json",
        body: {
          kind: "DeleteOptions",
          apiVersion: "v1",
          preconditions: { uid: "u1" },
          propagationPolicy: "Foreground",
          gracePeriodSeconds: 0,
          dryRun: ["All"],
        },
      },
    );
    assert.equal(
      await line((client) =>
        client.deleteCollection(Order, { namespace: "home", labelSelector: "a=b" }),
      ),
      `DELETE ${base}?labelSelector=a%3Db`,
    );
  });

  it("refuse names and kinds that cannot be", async () => {
    const { client, transport } = play();
    const refuses = async (call: () => unknown, code: string): Promise<void> =>
      void (await assert.rejects(
        async () => call(),
        (error) => isHomeostatError(error, code),
      ));
    await refuses(() => client.get(Order, "a/b"), "ERR_CLIENT_NAME");
    await refuses(() => client.get(Order, ".."), "ERR_CLIENT_NAME");
    await refuses(() => client.get(Order, ""), "ERR_CLIENT_NAME");
    await refuses(() => client.get({ ...Order, apiVersion: "a/b/c" }, "x"), "ERR_CLIENT_KIND");
    assert.equal(transport.exchanges.length, 0);
  });
});

describe("objects", () => {
  it("survive reading and writing with unknown fields, microseconds and 64-bit integers", async () => {
    const text =
      '{"apiVersion":"kitchen.example.com/v1","kind":"Order","metadata":{"name":"o1","namespace":"home","resourceVersion":"5"},"spec":{"at":"2026-01-01T00:00:00.123456Z","big":9223372036854775807,"unknown":{"x":[1.5]}}}';
    const { client, transport } = play((exchange) => exchange.answer(200, text));
    const read = await client.get(Order, "o1");
    assert.equal((read["spec"] as { big: unknown }).big, 9223372036854775807n);
    await client.update(Order, read);
    assert.equal(new TextDecoder().decode(transport.last.request.body), text);
  });

  it("carry apiVersion and kind also in lists, where servers leave them out", async () => {
    const { client } = play(
      answerWith({
        kind: "OrderList",
        metadata: { resourceVersion: "7" },
        items: [{ metadata: { name: "o1" } }],
      }),
    );
    assert.deepEqual((await client.list(Order)).items, [
      { apiVersion: "kitchen.example.com/v1", kind: "Order", metadata: { name: "o1" } },
    ]);
  });
});

describe("list", () => {
  const page = (name: string, rest: object): object => ({
    kind: "OrderList",
    metadata: { resourceVersion: "7", ...rest },
    items: [order({ name })],
  });

  it("follows pages", async () => {
    const { client, transport } = play((exchange) =>
      exchange.answer(
        200,
        exchange.query["continue"] ? page("o2", {}) : page("o1", { continue: "next" }),
      ),
    );
    const list = await client.list(Order, {
      pageSize: 1,
      labelSelector: "a",
      resourceVersion: "0",
    });
    assert.deepEqual(
      list.items.map((item) => item.metadata.name),
      ["o1", "o2"],
    );
    assert.equal(list.resourceVersion, "7");
    assert.deepEqual(transport.last.query, { labelSelector: "a", limit: "1", continue: "next" });
  });

  it("starts over without pages when they expire", async () => {
    const { client, transport } = play((exchange) => {
      if (exchange.query["continue"]) exchange.refuse(410, "Expired");
      else
        exchange.answer(
          200,
          exchange.query["limit"]
            ? page("o1", { continue: "next" })
            : { ...page("o1", {}), items: [order({ name: "o1" }), order({ name: "o2" })] },
        );
    });
    assert.equal((await client.list(Order)).items.length, 2);
    assert.deepEqual(transport.last.query, {});
  });
});

describe("refusals", () => {
  it("keep the server's Status untouched", async () => {
    const status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'orders "o1" not found',
      reason: "NotFound",
      details: { name: "o1", group: "g", kind: "orders" },
      code: 404,
    };
    const { client } = play((exchange) => exchange.answer(404, status));
    await assert.rejects(
      client.get(Order, "o1"),
      (error) =>
        isNotFound(error) &&
        error.message === status.message &&
        (assert.deepEqual(error.status, status), true),
    );
    assert.equal(await client.find(Order, "o1"), undefined);
  });

  it("make sense also without a Status", async () => {
    const { client } = play((exchange) => exchange.answer(502, "<html>bad gateway"));
    await assert.rejects(
      client.get(Order, "o1"),
      (error) =>
        isApiStatusError(error) &&
        error.status.code === 502 &&
        error.message.includes("GET ") &&
        error.message.includes("bad gateway"),
    );
  });
});

describe("retries", () => {
  it("wait as Retry-After says, on 429 and 503, for any method", async () => {
    const told: number[] = [];
    const { client, transport, runtime } = play(
      (exchange) => {
        if (transport.exchanges.length === 1)
          exchange.refuse(429, "TooManyRequests", { retryAfterSeconds: 3 });
        else if (transport.exchanges.length === 2)
          exchange.refuse(503, "ServiceUnavailable", { retryAfterSeconds: 1 });
        else exchange.answer(201, order());
      },
      { observer: { retried: (_, afterMs) => told.push(afterMs) } },
    );
    const creating = client.create(Order, order());
    await runtime.advance(2999);
    assert.equal(transport.exchanges.length, 1);
    await runtime.advance(1001);
    await creating;
    assert.deepEqual(told, [3000, 1000]);
  });

  it("give up after ten", async () => {
    const { client, transport, runtime } = play((exchange) =>
      exchange.refuse(429, "TooManyRequests", { retryAfterSeconds: 1 }),
    );
    const reading = assert.rejects(client.get(Order, "o1"), (error) => isApiStatusError(error));
    await runtime.advance(60_000);
    await reading;
    assert.equal(transport.exchanges.length, 11);
  });

  it("do not repeat what the server did not ask to repeat", async () => {
    const { client, transport } = play((exchange) => exchange.refuse(500, "InternalError"));
    await assert.rejects(client.get(Order, "o1"));
    assert.equal(transport.exchanges.length, 1);
  });

  it("repeat a broken read and a broken apply, never a broken create", async () => {
    const flaky = (): Play => {
      const playing: Play = play((exchange) =>
        playing.transport.exchanges.length === 1
          ? exchange.fail(lost())
          : exchange.answer(200, order()),
      );
      return playing;
    };
    for (const call of [
      (client: Client) => client.get(Order, "o1"),
      (client: Client) => client.apply(Order, order(), { force: true }),
    ]) {
      const { client, runtime } = flaky();
      const calling = call(client);
      await runtime.advance(200);
      assert.equal((await calling).metadata.name, "o1");
    }
    const { client, transport } = flaky();
    await assert.rejects(client.create(Order, order()), (error) =>
      isHomeostatError(error, "ERR_CLIENT_CONNECTION_LOST"),
    );
    assert.equal(transport.exchanges.length, 1);
  });
});

describe("cancelling", () => {
  it("aborts a request under way with the signal's reason", async () => {
    const { client, transport, runtime } = play();
    const abort = new AbortController();
    const reading = assert.rejects(client.get(Order, "o1", { signal: abort.signal }), /enough/);
    await runtime.advance(0);
    abort.abort(new Error("enough"));
    await reading;
    assert.equal(transport.last.aborted, true);
  });

  it("revokes a derived client: what runs fails, what comes is refused unsent, the parent goes on", async () => {
    const { client, transport, runtime } = play();
    const abort = new AbortController();
    const derived = client.with({ signal: abort.signal });
    const reading = assert.rejects(derived.get(Order, "o1"), /deposed/);
    await runtime.advance(0);
    abort.abort(new Error("deposed"));
    await reading;
    await assert.rejects(derived.update(Order, order()), /deposed/);
    assert.equal(transport.exchanges.length, 1);
    void client.get(Order, "o1").catch(() => {});
    await runtime.advance(0);
    assert.equal(transport.exchanges.length, 2);
  });

  it("gives up after timeoutMs, naming the request", async () => {
    const { client, runtime } = play();
    const reading = assert.rejects(
      client.get(Order, "o1", { timeoutMs: 500 }),
      /ERR_CLIENT_TIMEOUT: GET .*orders\/o1.*500 ms/,
    );
    await runtime.advance(500);
    await reading;
  });
});

describe("observers", () => {
  it("hear warnings meant for people", async () => {
    const heard: string[] = [];
    const { client } = play(
      (exchange) =>
        exchange.answer(200, order(), {
          warning: '299 - "unknown field \\"spec.foo\\""\n299 kitchen "second"\n110 - "stale"',
        }),
      {
        observer: { warned: (text) => heard.push(text) },
      },
    );
    await client.update(Order, order());
    assert.deepEqual(heard, ['unknown field "spec.foo"', "second"]);
  });

  it("hear of completed writes of derived clients before the writer does", async () => {
    const heard: CompletedWrite[] = [];
    const { client } = play((exchange) =>
      exchange.answer(
        200,
        exchange.request.method === "DELETE"
          ? {
              kind: "Status",
              apiVersion: "v1",
              status: "Success",
              details: { name: "o1", uid: "u1" },
            }
          : order({ resourceVersion: "6" }),
      ),
    );
    const stop = client.observeWrites((write) => heard.push(write));
    await client.with({ userAgent: "other" }).update(Order, order());
    await client.delete(Order, "o1");
    stop();
    await client.update(Order, order());
    assert.deepEqual(
      heard.map(({ key, object, deletedUid }) => [key, object !== undefined, deletedUid]),
      [
        [{ namespace: "home", name: "o1" }, true, undefined],
        [{ namespace: "home", name: "o1" }, false, "u1"],
      ],
    );
  });
});

describe("watch", () => {
  const event = (type: string, resourceVersion: string): string =>
    `${JSON.stringify({ type, object: order({ resourceVersion }) })}\n`;
  const collect = async (events: AsyncIterable<WatchEvent<any>>, seen: string[]): Promise<void> => {
    for await (const { type, object } of events)
      seen.push(`${type} ${object.metadata.resourceVersion}`);
  };

  it("yields events however they are cut, and ends with the stream", async () => {
    const { client, transport, runtime } = play();
    const seen: string[] = [];
    const watching = collect(client.watch(Order, { resourceVersion: "1" }), seen);
    await runtime.advance(0);
    const text = event("ADDED", "2") + event("MODIFIED", "3");
    transport.last.head();
    for (const at of [0, 20, 50, 120])
      transport.last.chunk(
        text.slice(at, at === 0 ? 20 : at === 20 ? 50 : at === 50 ? 120 : undefined),
      );
    transport.last.end();
    await watching;
    assert.deepEqual(seen, ["ADDED 2", "MODIFIED 3"]);
  });

  it("throws what an ERROR event says, and what refuses the watch", async () => {
    const { client, transport, runtime } = play();
    const first = assert.rejects(collect(client.watch(Order), []), (error) => isExpired(error));
    await runtime.advance(0);
    transport.last
      .head()
      .chunk(
        '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Expired","message":"too old","code":410}}\n',
      );
    await first;
    const second = assert.rejects(
      collect(client.watch(Order), []),
      (error) => error instanceof ApiStatusError && isConflict(error),
    );
    await runtime.advance(0);
    transport.last.refuse(409, "Conflict");
    await second;
  });

  it("pauses a stream that is faster than its reader, and resumes it", async () => {
    const { client, transport, runtime } = play();
    const events = client.watch(Order)[Symbol.asyncIterator]();
    const first = events.next();
    await runtime.advance(0);
    transport.last.head();
    for (let i = 0; i < 300; i++) transport.last.chunk(event("ADDED", String(i)));
    assert.equal(transport.last.paused, true);
    await first;
    for (let i = 1; i < 300; i++) await events.next();
    assert.equal(transport.last.resumed, 1);
  });

  it("closes the stream when the reader leaves, or aborts", async () => {
    const { client, transport, runtime } = play();
    const leaving = (async () => {
      for await (const _ of client.watch(Order)) break;
    })();
    await runtime.advance(0);
    transport.last.head().chunk(event("ADDED", "1"));
    await leaving;
    assert.equal(transport.last.aborted, true);
    const abort = new AbortController();
    const aborting = assert.rejects(
      collect(client.watch(Order, { signal: abort.signal }), []),
      /stop/,
    );
    await runtime.advance(0);
    abort.abort(new Error("stop"));
    await aborting;
    assert.equal(transport.last.aborted, true);
  });
});

describe("streams and credentials", () => {
  /** A session whose token is the next of a list whenever the server refuses the one before. */
  const session = (
    tokens: string[],
    transport: ScriptedTransport,
  ): { readonly options: SessionOptions; readonly renewals: () => number } => {
    let renewals = 0;
    return {
      options: {
        transport,
        runtime: createVirtualRuntime(),
        observer: {},
        credentials: {
          headers: async () => ({ authorization: `Bearer ${tokens[0]}` }),
          rejected: async () => (renewals++, tokens.shift(), tokens.length > 0),
        },
      },
      renewals: () => renewals,
    };
  };
  const open = (
    options: SessionOptions,
  ): Promise<{
    readonly opened: number;
    readonly error: Error | undefined;
    readonly text: string;
  }> =>
    new Promise((resolve) => {
      const seen = { opened: 0, text: "" };
      openStream(
        options,
        { userAgent: "t", signals: [] },
        { method: "GET", path: "/api/v1/nodes", query: { watch: true } },
        {
          opened: () => void seen.opened++,
          data: (chunk) => ((seen.text += new TextDecoder().decode(chunk)), true),
          closed: (error) => resolve({ ...seen, error }),
        },
      );
    });
  const accepting = (token: string) =>
    createScriptedTransport((exchange) =>
      exchange.request.headers["authorization"] === `Bearer ${token}`
        ? exchange.answer(200, "line")
        : exchange.refuse(401, "Unauthorized"),
    );

  it("renews credentials that the server no longer takes, and opens again", async () => {
    const transport = accepting("new");
    const { options, renewals } = session(["old", "new"], transport);
    assert.deepEqual(await open(options), { opened: 1, error: undefined, text: "line" });
    assert.deepEqual([transport.exchanges.length, renewals()], [2, 1]);
  });

  it("renews once: what is refused then is refused", async () => {
    const transport = accepting("none");
    const { options, renewals } = session(["one", "two", "three"], transport);
    const { opened, error } = await open(options);
    assert.equal(isUnauthorized(error), true);
    assert.deepEqual([opened, transport.exchanges.length, renewals()], [0, 2, 1]);
  });

  it("does not open again with what cannot change, nor for another refusal", async () => {
    const transport = accepting("none");
    const { options } = session(["only"], transport);
    assert.equal(isUnauthorized((await open(options)).error), true);
    assert.equal(transport.exchanges.length, 1);
    const forbidding = createScriptedTransport((exchange) => exchange.refuse(403, "Forbidden"));
    const other = session(["a", "b"], forbidding);
    assert.equal((await open(other.options)).error?.message, "refused: Forbidden");
    assert.deepEqual([forbidding.exchanges.length, other.renewals()], [1, 0]);
  });

  it("ends with what the renewal says when it fails", async () => {
    const { options } = session(["old"], accepting("new"));
    const failing = {
      ...options,
      credentials: {
        headers: options.credentials!.headers,
        rejected: () => Promise.reject(new Error("the plug-in is gone")),
      },
    };
    assert.equal((await open(failing)).error?.message, "the plug-in is gone");
  });
});

describe("a status that the types promise", () => {
  const Meal = defineResource({
    group: "kitchen.example.com",
    version: "v1",
    kind: "Meal",
    spec: z.object({ dish: z.string() }),
    status: z.object({ done: z.boolean() }),
  });
  const bare = (status?: object): any => ({
    apiVersion: "kitchen.example.com/v1",
    kind: "Meal",
    metadata: { name: "m", resourceVersion: "1" },
    spec: { dish: "soup" },
    ...(status && { status }),
  });

  it("is there on every way of reading", async () => {
    const { client } = play(answerWith(bare()));
    const manifest = Meal("m", { dish: "soup" });
    const patch = { type: "merge", body: {} } as const;
    const read = [
      client.get(Meal, "m"),
      client.find(Meal, "m"),
      client.create(Meal, manifest),
      client.apply(Meal, manifest),
      client.patch(Meal, "m", patch),
      client.update(Meal, manifest),
      client.delete(Meal, "m"),
    ];
    for (const object of await Promise.all(read))
      assert.deepEqual((object as { status: unknown }).status, {});
    const { apiVersion: _, kind: __, ...item } = bare();
    const lists = play(
      answerWith({ metadata: { resourceVersion: "1" }, items: [item, bare({ done: true })] }),
    );
    assert.deepEqual(
      (await lists.client.list(Meal)).items.map(({ status }) => status),
      [{}, { done: true }],
    );
    const watching = play((exchange) =>
      exchange
        .head()
        .lines(
          { type: "ADDED", object: bare() },
          {
            type: "BOOKMARK",
            object: {
              apiVersion: "kitchen.example.com/v1",
              kind: "Meal",
              metadata: { resourceVersion: "2" },
            },
          },
        )
        .end(),
    );
    const seen: unknown[] = [];
    for await (const { object } of watching.client.watch(Meal)) seen.push(object.status);
    assert.deepEqual(seen, [{}, undefined]);
  });

  it("is not filled in for other kinds, a Scale or a Status", async () => {
    const found = play(answerWith(order()));
    assert.equal("status" in (await found.client.get(Order, "o1")), false);
    const scaled = play(
      answerWith({ apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "m" } }),
    );
    assert.equal("status" in (await scaled.client.get(Meal, "m", { subresource: "scale" })), false);
    const gone = play(
      answerWith({ apiVersion: "v1", kind: "Status", metadata: {}, status: "Success", code: 200 }),
    );
    assert.equal((await gone.client.delete(Meal, "m")).status, "Success");
  });

  it("is not written back, unless somebody wrote to it", async () => {
    const { client, transport } = play(answerWith(bare()));
    const read = await client.get(Meal, "m");
    await client.update(Meal, read);
    assert.deepEqual(transport.last.body, bare());
    await client.update(Meal, { ...read, spec: { dish: "stew" } });
    assert.deepEqual(transport.last.body, { ...bare(), spec: { dish: "stew" } });
    await client.update(Meal, { ...read, status: {} });
    assert.deepEqual(
      transport.last.body,
      bare({}),
      "an empty status that the caller wrote is the caller's",
    );
    Object.assign(read.status, { done: true });
    await client.update(Meal, read, { subresource: "status" });
    assert.deepEqual(transport.last.body, bare({ done: true }));
  });

  it("is not told to those who observe writes: they get the server's answer", async () => {
    const { client } = play(answerWith(bare()));
    const writes: CompletedWrite[] = [];
    client.observeWrites((write) => writes.push(write));
    await client.apply(Meal, Meal("m", { dish: "soup" }));
    assert.deepEqual(writes[0]?.object, bare());
  });
});
