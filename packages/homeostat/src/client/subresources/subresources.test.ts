// Bodies of subresources, evictions that are refused for a while, and logs, on a scripted server.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dynamicKind } from "../discovery/kind-resolver.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { ScriptedExchange } from "../scripted-transport.suite.ts";
import { Order, play, sent } from "../scripted-client.suite.ts";
import { evict, type EvictOptions } from "./evict.ts";
import { podLog, podLogLines } from "./pod-log.ts";

const ServiceAccount = dynamicKind({
  apiVersion: "v1",
  kind: "ServiceAccount",
  resource: "serviceaccounts",
  scope: "Namespaced",
});
const metadata = { name: "o1" };
const accepted = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

describe("the body of a subresource", () => {
  it("has the kind that the subresource takes", async () => {
    const kindOf = async (call: Parameters<typeof sent>[0]): Promise<string> => {
      const { body } = await sent(call);
      const { apiVersion, kind } = body as { apiVersion: string; kind: string };
      return `${apiVersion} ${kind}`;
    };
    const scale = { metadata, spec: { replicas: 2 } };
    const toScale = { subresource: "scale" } as const;
    assert.deepEqual(
      await Promise.all([
        kindOf((client) => client.apply(Order, scale, toScale)),
        kindOf((client) => client.update(Order, scale, toScale)),
        kindOf((client) =>
          client.create(ServiceAccount, { metadata, spec: {} }, { subresource: "token" }),
        ),
        kindOf((client) => client.create(Order, { metadata }, { subresource: "eviction" })),
        kindOf((client) =>
          client.create(Order, { metadata, target: { name: "n1" } }, { subresource: "binding" }),
        ),
        kindOf((client) => client.apply(Order, { metadata }, { subresource: "approval" })),
      ]),
      [
        "autoscaling/v1 Scale",
        "autoscaling/v1 Scale",
        "authentication.k8s.io/v1 TokenRequest",
        "policy/v1 Eviction",
        "v1 Binding",
        "kitchen.example.com/v1 Order",
      ],
    );
    const { body } = await sent((client) =>
      client.update(Order, { metadata } as never, { subresource: "unheard-of" }),
    );
    assert.deepEqual(body, { metadata });
  });
});

describe("evict", () => {
  const answers =
    (...all: readonly ((exchange: ScriptedExchange) => void)[]) =>
    (exchange: ScriptedExchange): void =>
      all[Math.min(at++, all.length - 1)]!(exchange);
  let at = 0;
  const refused = (exchange: ScriptedExchange): void => exchange.refuse(429, "TooManyRequests");
  const start = (respond: (exchange: ScriptedExchange) => void, options: EvictOptions = {}) => {
    at = 0;
    const { client, transport, runtime } = play(respond);
    const done: { value?: boolean; error?: Error } = {};
    evict(client, "o1", options).then(
      (value) => (done.value = value),
      (error: Error) => (done.error = error),
    );
    return { transport, runtime, done };
  };

  it("tries again after 5 s while a budget forbids it", async () => {
    const { transport, runtime, done } = start(
      answers(refused, refused, (exchange) => exchange.answer(201, accepted)),
    );
    await runtime.advance(4999);
    assert.equal(transport.exchanges.length, 1);
    await runtime.advance(1);
    assert.equal(transport.exchanges.length, 2);
    await runtime.advance(5000);
    assert.deepEqual(done, { value: true });
    const { request, body } = transport.last;
    assert.equal(
      `${request.method} ${request.path}`,
      "POST /api/v1/namespaces/home/pods/o1/eviction",
    );
    assert.deepEqual(body, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata,
      deleteOptions: {},
    });
  });

  it("waits as long as the server says", async () => {
    const { transport, runtime, done } = start(
      answers(
        (exchange) => exchange.refuse(429, "TooManyRequests", { retryAfterSeconds: 30 }),
        (exchange) => exchange.answer(201, accepted),
      ),
    );
    await runtime.advance(29_999);
    assert.equal(transport.exchanges.length, 1);
    await runtime.advance(5000);
    assert.deepEqual([transport.exchanges.length, done], [2, { value: true }]);
  });

  it("goes on while the namespace terminates, until the pod is gone", async () => {
    const causes = [{ reason: "NamespaceTerminating", message: "", field: "metadata.namespace" }];
    const { runtime, done } = start(
      answers(
        (exchange) => exchange.refuse(403, "Forbidden", { causes }),
        (exchange) => exchange.refuse(404, "NotFound"),
      ),
    );
    await runtime.advance(5000);
    assert.deepEqual(done, { value: false });
  });

  it("fails at once when it is forbidden", async () => {
    const { runtime, done } = start((exchange) => exchange.refuse(403, "Forbidden"));
    await runtime.advance(0);
    assert.match(done.error!.message, /refused: Forbidden/);
  });

  it("gives up after timeoutMs, with the refusal", async () => {
    const { runtime, done } = start(refused, { timeoutMs: 12_000 });
    await runtime.advance(12_000);
    assert.ok(isHomeostatError(done.error, "ERR_CLIENT_TIMEOUT"));
    assert.match(done.error.message, /evicting pod o1: .* 12000 ms, it was refused: refused/);
    assert.match(String(done.error.cause), /refused: TooManyRequests/);
  });

  it("ends with its signal", async () => {
    const ends = new AbortController();
    const { runtime, done } = start(refused, { signal: ends.signal });
    await runtime.advance(1000);
    ends.abort(new Error("enough"));
    await runtime.advance(0);
    assert.equal(done.error!.message, "enough");
  });

  it("refuses options that it does not know", async () => {
    const { runtime, done } = start(refused, { grace: 1 } as never);
    await runtime.advance(0);
    assert.match(done.error!.message, /grace: unknown option; expected any of preconditions, /);
  });
});

describe("the log of a pod", () => {
  it("is a text, of the part that is asked for", async () => {
    const { client, transport } = play((exchange) => exchange.answer(200, "one\n\ntwo"));
    const text = await podLog(client, "web", { container: "main", tailLines: 3, previous: true });
    assert.equal(text, "one\n\ntwo");
    assert.equal(
      transport.last.request.path,
      "/api/v1/namespaces/home/pods/web/log?container=main&tailLines=3&previous=true",
    );
    await assert.rejects(
      podLog(client, "web", { follow: true } as never),
      /follow: unknown option; expected any of container, previous/,
    );
  });

  it("is lines as they come: empty ones, and the last without its newline", async () => {
    const { client, transport } = play((exchange) => {
      exchange.head().chunk("one\n\ntw").chunk("o\nthree");
      exchange.end();
    });
    const pod = { namespace: "shop", name: "web" };
    const lines: string[] = [];
    for await (const line of podLogLines(client, pod, { follow: true })) lines.push(line);
    assert.deepEqual(lines, ["one", "", "two", "three"]);
    assert.equal(transport.last.request.path, "/api/v1/namespaces/shop/pods/web/log?follow=true");
  });

  it("closes when the reader leaves, and ends with the signal", async () => {
    const { client, transport } = play((exchange) => void exchange.head().chunk("one\ntwo\n"));
    for await (const line of podLogLines(client, "web", { follow: true })) {
      assert.equal(line, "one");
      break;
    }
    assert.equal(transport.last.aborted, true);
    const ends = new AbortController();
    await assert.rejects(async () => {
      for await (const line of podLogLines(client, "web", { signal: ends.signal }))
        if (line === "two") ends.abort(new Error("enough"));
    }, /enough/);
  });
});
