// Who is asked before a reader is answered, and what a reader hears, on a scripted API server.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { createClient } from "../../client/create-client.ts";
import {
  createScriptedTransport,
  type ScriptedExchange,
} from "../../client/scripted-transport.suite.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { withDelegatedAccess } from "./delegated-access.ts";
import type { PortAnswer, PortRequest } from "./http-port.ts";

const ann = { username: "ann", uid: "7", groups: ["dev"], extra: { team: ["a"] } };
const asAnn = {
  user: "ann",
  uid: "7",
  groups: ["dev", "system:authenticated"],
  extra: { team: ["a"] },
};
const mayGet = (path: string) => ({
  ...asAnn,
  nonResourceAttributes: { verb: "get", path },
});

type Reply = object | "refused" | "silent";

function arrange(replies: { token?: Reply; access?: Reply } = {}) {
  const runtime = createVirtualRuntime();
  const asked: unknown[] = [];
  const answered: string[] = [];
  const logged: unknown[] = [];
  const now = {
    token: { authenticated: true, user: ann } as Reply,
    access: { allowed: true } as Reply,
    ...replies,
  };
  const respond = (exchange: ScriptedExchange): void => {
    const { kind, spec } = exchange.body as unknown as {
      readonly kind: string;
      readonly spec: object;
    };
    assert.match(exchange.request.path, new RegExp(`/${kind.toLowerCase()}s$`));
    asked.push(spec);
    const status = kind === "TokenReview" ? now.token : now.access;
    if (status === "silent") return;
    if (status === "refused") return exchange.refuse(403, "Forbidden");
    exchange.answer(201, { kind, status });
  };
  const error = (...said: readonly unknown[]): void => void logged.push(said);
  const handler = withDelegatedAccess(
    ({ path, viewer }) => {
      answered.push(path);
      assert.ok(viewer, "it knows who asks");
      return { status: 200, body: "secret" };
    },
    {
      client: createClient({ transport: createScriptedTransport(respond), runtime }),
      clock: runtime.clock,
      log: { debug() {}, info() {}, warn() {}, error },
      knows: (path) => path !== "/other",
    },
  );
  const ask = async (
    authorization: string | readonly string[] | undefined = "Bearer t0ken",
    given: Partial<PortRequest> = {},
  ): Promise<PortAnswer> =>
    await handler({
      method: "GET",
      path: "/metrics",
      query: new URLSearchParams("token=t0ken"),
      headers: authorization === undefined ? {} : { authorization },
      isLoopback: true,
      ...given,
    });
  return { runtime, asked, answered, logged, ask, now };
}

describe("a reader", () => {
  it("is answered after the API server has said who it is, and that it may", async () => {
    const { ask, asked, answered } = arrange();
    assert.deepEqual(await ask(), { status: 200, body: "secret" });
    assert.deepEqual(asked, [{ token: "t0ken" }, mayGet("/metrics")]);
    assert.deepEqual(answered, ["/metrics"]);
    await ask("bearer   t0ken ", { method: "HEAD" });
    const attributes = { verb: "head", path: "/metrics" };
    assert.deepEqual(asked.slice(2), [{ ...asAnn, nonResourceAttributes: attributes }]);
  });

  it("without a token is refused, and nobody is asked", async () => {
    const { ask, asked, answered } = arrange();
    for (const authorization of [
      "",
      "Basic abc",
      "Bearer",
      "Bearer a b",
      "xBearer a",
      ["Bearer a"],
    ])
      assert.equal((await ask(authorization)).status, 401, String(authorization));
    assert.equal((await ask(undefined, { headers: {} })).status, 401);
    assert.deepEqual([asked, answered], [[], []]);
  });

  it("of what is not there hears that before anybody is asked, whoever it is", async () => {
    const { ask, asked } = arrange();
    for (const path of ["/other", `/${"x".repeat(4096)}`])
      for (const authorization of ["Bearer t0ken", ""])
        assert.equal((await ask(authorization, { path })).status, 404);
    assert.deepEqual(asked, []);
    assert.equal((await ask(undefined, { path: `/${"x".repeat(4095)}` })).status, 200);
  });

  it("with a token that is not valid is refused, and no right is asked for", async () => {
    for (const token of [{}, { authenticated: false, user: ann }, { user: ann }]) {
      const { ask, asked, answered } = arrange({ token });
      assert.deepEqual(await ask(), { status: 401, body: "Unauthorized\n" });
      assert.deepEqual([asked.length, answered], [1, []]);
    }
  });

  it("who may not is refused by name, also where the verdict is missing", async () => {
    for (const access of [{}, { allowed: false }, { allowed: true, denied: true }]) {
      const { ask, answered } = arrange({ access });
      const { status, body } = await ask();
      assert.deepEqual([status, body], [403, "Authorization denied for user ann\n"]);
      assert.deepEqual(answered, []);
    }
  });

  it("is not answered when the API server does not, and its token is in no log", async () => {
    for (const reply of ["refused", "silent"] as const) {
      const who = arrange({ token: reply });
      const heard = who.ask();
      await who.runtime.advance(10_000);
      assert.deepEqual(await heard, { status: 500, body: "Authentication failed\n" });
      const what = arrange({ access: reply });
      const refused = what.ask();
      await what.runtime.advance(10_000);
      assert.deepEqual(await refused, {
        status: 500,
        body: "Authorization for user ann failed\n",
      });
      for (const { answered, logged } of [who, what]) {
        assert.deepEqual([answered, logged.length], [[], 1]);
        assert.doesNotMatch(inspect(logged, { depth: Infinity, showHidden: true }), /t0ken/);
      }
      who.now.token = { authenticated: true, user: ann };
      assert.equal((await who.ask()).status, 200, "a failure is not kept");
    }
  });

  it("is asked about again after a minute, a right after five, a refusal after half a minute", async () => {
    const { ask, asked, runtime, now } = arrange();
    const again = async (): Promise<readonly string[]> => {
      asked.length = 0;
      await ask();
      return asked.map((spec) => ("token" in (spec as object) ? "who" : "what"));
    };
    assert.deepEqual(await again(), ["who", "what"]);
    await runtime.advance(59_999);
    assert.deepEqual(await again(), []);
    await runtime.advance(1);
    assert.deepEqual(await again(), ["who"]);
    await runtime.advance(239_999);
    assert.deepEqual(await again(), ["who"]);
    now.access = { allowed: false };
    await runtime.advance(1);
    assert.deepEqual(await again(), ["what"]);
    await runtime.advance(29_999);
    assert.deepEqual(await again(), []);
    await runtime.advance(1);
    assert.deepEqual(await again(), ["what"]);
    asked.length = 0;
    await ask("Bearer other");
    await ask(undefined, { path: "/metrics/2" });
    assert.deepEqual(asked, [{ token: "other" }, mayGet("/metrics/2")], "of each its own");
  });
});
