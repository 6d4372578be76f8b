// Requests, objects, lists, errors, retries and cancellation of a client over a scripted transport.
import type { Client, ClientScope, CompletedWrite } from "./client.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isApiStatusError, isNotFound } from "../api/status.ts";
import { HomeostatError, isHomeostatError } from "../util/homeostat-error.ts";
import { type ClientOptions, createClient } from "./create-client.ts";
import {
  answerWith,
  brokenObserver,
  collectWarnings,
  lost,
  Node,
  Order,
  order,
  play,
  sent,
  type Play,
} from "./scripted-client.suite.ts";

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

  it("refuse a patch without a type before anything is sent", async () => {
    const patch = { metadata: { labels: {} } } as never;
    await assert.rejects(
      line((client) => client.patch(Order, "o1", patch)),
      (error) =>
        isHomeostatError(error, "ERR_CLIENT_REQUEST") &&
        error.message ===
          `ERR_CLIENT_REQUEST: PATCH ${base}/o1: expected a patch of type merge, strategic or json, got undefined`,
    );
  });

  it("that cannot be built reject, and never throw", async () => {
    const { client } = play();
    const nameless = { metadata: { name: "a/b" }, spec: { table: 4 } };
    const calls = [
      () => client.get(Order, "a/b"),
      () => client.create({ ...Order, apiVersion: "a/b/c" }, nameless as never),
      () => client.update(Order, nameless as never),
      () => client.patch(Order, "a/b", { type: "merge", body: {} }),
      () => client.apply(Order, nameless as never),
      () => client.delete(Order, "a/b"),
    ];
    for (const call of calls) await assert.rejects(call(), HomeostatError);
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

  it("refuse invalid names and kinds", async () => {
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
    await refuses(() => client.deleteCollection(Order), "ERR_CLIENT_NAMESPACE");
    assert.equal(transport.exchanges.length, 0);
  });
});

describe("objects", () => {
  it("keep unknown fields, microseconds and 64-bit integers through reads and writes", async () => {
    const text =
      '{"apiVersion":"kitchen.example.com/v1","kind":"Order","metadata":{"name":"o1","namespace":"home","resourceVersion":"5"},"spec":{"at":"2026-01-01T00:00:00.123456Z","big":9223372036854775807,"unknown":{"x":[1.5]}}}';
    const { client, transport } = play((exchange) => exchange.answer(200, text));
    const read = await client.get(Order, "o1");
    assert.equal((read["spec"] as { big: unknown }).big, 9223372036854775807n);
    await client.update(Order, read);
    assert.equal(new TextDecoder().decode(transport.last.request.body), text);
  });

  it("carry apiVersion and kind in lists, where servers omit them", async () => {
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

  it("have a message without a Status", async () => {
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
    await runtime.advance(201);
    assert.equal(transport.exchanges.length, 2);
    await runtime.advance(799);
    assert.equal(transport.exchanges.length, 2);
    await runtime.advance(601);
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

  it("do not repeat requests without Retry-After", async () => {
    const { client, transport } = play((exchange) => exchange.refuse(500, "InternalError"));
    await assert.rejects(client.get(Order, "o1"));
    assert.equal(transport.exchanges.length, 1);
  });

  it("take turns with each other, and all go once one is answered", async () => {
    let isOverloaded = true;
    const { client, transport, runtime } = play((exchange) =>
      isOverloaded
        ? exchange.refuse(429, "TooManyRequests", { retryAfterSeconds: 1 })
        : exchange.answer(200, order()),
    );
    const other = client.with({ namespace: "elsewhere" });
    const reading = Array.from({ length: 20 }, (_, i) => (i % 2 ? other : client).get(Order, "o"));
    await runtime.advance(900);
    assert.equal(transport.exchanges.length, 20);
    await runtime.advance(5000);
    const retries = transport.exchanges.length - 20;
    assert.ok(retries >= 3 && retries <= 5, `${retries} in 5 s`);
    isOverloaded = false;
    await runtime.advance(3000);
    await Promise.all(reading);
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
      await runtime.advance(300);
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

  it("revokes a derived client: running requests fail, later ones are not sent, the parent is unaffected", async () => {
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

  it("follows the signals of the request and of each client that it was derived by", async () => {
    for (const given of [1, 2, 3])
      for (let one = 0; one < given; one++) {
        const aborts = Array.from({ length: given }, () => new AbortController());
        const [own, ...outer] = aborts.map(({ signal }) => signal);
        const { client, transport, runtime } = play();
        const derived = outer.reduce((each, signal) => each.with({ signal }), client);
        const reading = assert.rejects(derived.get(Order, "o1", { signal: own! }), /this one/);
        await runtime.advance(0);
        aborts[one]!.abort(new Error("this one"));
        await reading;
        assert.equal(transport.last.aborted, true);
      }
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
  it("receive warnings", async () => {
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

  it("disturb no request when they throw or reject, and are reported once", async () => {
    const { client } = play(
      (exchange) => exchange.answer(200, order(), { warning: '299 - "old"' }),
      { observer: brokenObserver() },
    );
    using warnings = collectWarnings();
    const broken = (): never => {
      throw new Error("broken observer");
    };
    client.observeWrites(broken);
    const derived = client.with({ warned: broken, written: broken, requested: broken });
    await derived.update(Order, order());
    await client.update(Order, order());
    assert.deepEqual(await warnings.seen(), ["an observer of the client throws: broken observer"]);
  });

  it("receive completed writes of derived clients before the writer does", async () => {
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

  it("receive an apply whose answer is parsed only when it is read", async () => {
    const heard: CompletedWrite[] = [];
    const managedFields = [{ manager: "m" }];
    const text = JSON.stringify(order({ resourceVersion: "6", managedFields })).replace(
      '"table":4',
      '"table":TABLE',
    );
    const { client } = play((exchange) => {
      exchange.head().chunk(text);
      exchange.end();
    });
    client.observeWrites((write) => heard.push(write));
    const write = (await client.applyUnread(Order, order()))!;
    assert.equal(heard[0], write);
    const { name, namespace, uid } = order().metadata;
    assert.deepEqual(
      [write.key, write.resourceVersion, write.metadata],
      [{ namespace: "home", name: "o1" }, "6", { name, namespace, uid, resourceVersion: "6" }],
    );
    assert.throws(() => write.object, SyntaxError, "only now");
  });

  it("receive an apply that only parsing tells of", async () => {
    for (const [answer, expected] of [
      [order({ resourceVersion: "6", deletionTimestamp: "2026-01-01T00:00:00Z" }), "u1"],
      [{ kind: "Scale", apiVersion: "autoscaling/v1", metadata: { name: "o1" } }, "none"],
    ] as const) {
      const { client } = play(answerWith(answer));
      const subresource = answer.kind === "Scale" ? { subresource: "scale" as const } : {};
      const write = await client.applyUnread(Order, order(), subresource);
      assert.equal(write ? write.deletedUid : "none", expected);
    }
    const { client } = play(answerWith(order({ resourceVersion: "6" })));
    assert.equal(await client.applyUnread(Order, order(), { dryRun: "All" }), undefined);
  });
});

describe("an apply under another scope", () => {
  type Apply = (client: Client, scope: ClientScope) => Promise<CompletedWrite | undefined>;
  const { namespace: _, ...metadata } = order().metadata;
  const manifest = { ...order(), metadata };
  const ways: readonly Apply[] = [
    (client, scope) => client.with(scope).applyUnread(Order, manifest, { force: true }),
    (client, as) => client.applyUnread(Order, manifest, { force: true, as }),
  ];

  it("is sent and observed as by a client derived with it", async () => {
    const rows: unknown[] = [];
    for (const apply of ways) {
      const heard: string[] = [];
      const observe = (who: string): ClientScope => ({
        written: ({ key }) => void heard.push(`${who} wrote ${key.namespace}/${key.name}`),
        requested: (answered) => void answered.then(() => heard.push(`${who} was answered`)),
      });
      const { client, transport } = play(answerWith(order({ resourceVersion: "6" })));
      const base = client.with({ ...observe("base"), fieldManager: "base" });
      base.observeWrites(({ key }) => void heard.push(`all wrote ${key.name}`));
      const scope = { ...observe("scope"), fieldManager: "run", namespace: "away", userAgent: "u" };
      await apply(base, scope);
      const { method, path, headers } = transport.exchanges[0]!.request;
      assert.match(path, /\/namespaces\/away\/orders\/o1\?.*fieldManager=run/);
      assert.equal(headers["user-agent"], "u");
      rows.push([method, path, headers, heard.toSorted()]);
      assert.equal(heard.length, 5, heard.join());
    }
    assert.deepEqual(rows[1], rows[0]);
  });

  it("is aborted by its own signal, and by that of its client", async () => {
    for (const apply of ways)
      for (const one of [0, 1]) {
        const aborts = [new AbortController(), new AbortController()] as const;
        const [outer, inner] = aborts;
        const { client } = play(() => {});
        const applied = apply(client.with({ signal: outer.signal }), { signal: inner.signal });
        setImmediate(() => aborts[one]!.abort(new Error("stop")));
        await assert.rejects(applied, { message: "stop" });
      }
  });

  it("is named where it was aborted without a reason, sent or not", async () => {
    const { client } = play(() => {});
    const named = { name: "AbortError", message: /^GET \/apis\/.*\/orders\/o1: .* was aborted$/ };
    await assert.rejects(client.get(Order, "o1", { signal: AbortSignal.abort() }), named);
    const abort = new AbortController();
    const read = client.get(Order, "o1", { signal: abort.signal });
    setImmediate(() => abort.abort());
    await assert.rejects(read, named);
  });
});

describe("a server that cannot be reached", () => {
  const unreachable = (): Error =>
    new HomeostatError("ERR_CLIENT_UNREACHABLE", "nothing listens", { hint: "" });

  it("is tried once a second by all requests and streams of a client together", async () => {
    let isDown = true;
    const { client, transport, runtime } = play((exchange) =>
      isDown ? exchange.fail(unreachable()) : exchange.answer(200, order()),
    );
    const other = createClient({ transport, runtime, pace: client.pace });
    const isUnreachable = (error: unknown): boolean =>
      isHomeostatError(error, "ERR_CLIENT_UNREACHABLE");
    const faults: unknown[] = [];
    for (let at = 0; at < 10_000; at += 50) {
      await assert.rejects(client.get(Order, "o1"), isUnreachable);
      await assert.rejects(other.create(Order, order()), isUnreachable);
      client.openStream(
        { method: "GET", path: "/" },
        { opened() {}, data: () => true, closed: (error) => faults.push(error) },
      );
      await runtime.advance(50);
    }
    assert.equal(transport.exchanges.length, 10);
    assert.ok(faults.length === 200 && faults.every(isUnreachable));
    isDown = false;
    await runtime.advance(1000);
    for (let i = 0; i < 3; i++) await client.get(Order, "o1");
    isDown = true;
    await assert.rejects(client.get(Order, "o1"));
    assert.equal(transport.exchanges.length, 14, "an answer opens the way for all");
  });

  it("is there again for all as soon as anything is answered", async () => {
    const { client, transport, runtime } = play();
    const slow = client.get(Order, "o1");
    const refused = assert.rejects(client.get(Order, "o2"));
    await runtime.advance(0);
    transport.exchanges[1]!.fail(unreachable());
    await refused;
    transport.exchanges[0]!.answer(200, order());
    await slow;
    const next = client.get(Order, "o3");
    await runtime.advance(0);
    transport.last.answer(200, order());
    await next;
    assert.equal(transport.exchanges.length, 3);
  });

  it("leaves the next attempt to what waits for its turn", async () => {
    const { client, transport, runtime } = play((exchange) => exchange.fail(unreachable()));
    await assert.rejects(client.get(Order, "o1"));
    const turns: number[] = [];
    client.pace.wait(0, () => {
      turns.push(runtime.clock.monotonic());
      void client.get(Order, "o1").catch(() => {});
    });
    await runtime.advance(999);
    assert.equal(transport.exchanges.length, 1);
    await runtime.advance(600);
    assert.deepEqual([transport.exchanges.length, turns.length], [2, 1]);
  });
});
