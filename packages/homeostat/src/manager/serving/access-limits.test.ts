// What delegated access costs the API server, and keeps: with a busy or silent server, with many
// tokens, and with answers that say nothing.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { getHeapSnapshot } from "node:v8";
import { play } from "../../client/scripted-client.suite.ts";
import type { ScriptedExchange } from "../../client/scripted-transport.suite.ts";
import { withDelegatedAccess } from "./delegated-access.ts";

const metrics = { status: 200, body: "metrics" } as const;

type Respond = (exchange: ScriptedExchange, kind: "TokenReview" | "SubjectAccessReview") => void;

interface Review {
  readonly kind: "TokenReview" | "SubjectAccessReview";
  readonly spec: { readonly token?: string; readonly user?: string };
}

/** Tokens that begin with `good` are `USER`s, of whom those whose name has `reader` may read. */
const working: Respond = (exchange, kind) => {
  const { token = "", user = "" } = (exchange.body as unknown as Review).spec;
  const authenticated = token.startsWith("good");
  const status =
    kind === "TokenReview"
      ? { authenticated, ...(authenticated ? { user: { username: token.slice(5) } } : {}) }
      : { allowed: user.includes("reader") };
  exchange.answer(201, { kind, status });
};

function arrange(respond: Respond = working) {
  const { client, transport, runtime } = play((exchange) =>
    respond(exchange, (exchange.body as unknown as Review).kind),
  );
  const log = { error() {} } as never;
  const knows = (path: string): boolean => path === "/metrics";
  const { clock } = runtime;
  const handler = withDelegatedAccess(() => metrics, { client, clock, log, knows });
  const ask = async (token: string, path = "/metrics", method = "GET") => {
    const headers = { authorization: `Bearer ${token}` };
    const query = new URLSearchParams();
    return await handler({ method, path, query, headers, isLoopback: true });
  };
  return {
    runtime,
    status: async (...args: Parameters<typeof ask>) => (await ask(...args)).status,
    /** The kinds of reviews since the last call. */
    reviews: () => transport.exchanges.splice(0).map((one) => (one.body as unknown as Review).kind),
  };
}

/** The strings that something holds. */
async function stringsOnHeap(is: (text: string) => boolean): Promise<readonly string[]> {
  let snapshot = "";
  for await (const chunk of getHeapSnapshot()) snapshot += String(chunk);
  const { strings } = JSON.parse(snapshot) as { readonly strings: readonly string[] };
  return strings.filter(is);
}

describe("delegated access, to its limits", () => {
  it("keeps a refusal for half a minute, by user, verb and path", async () => {
    const { status, reviews, runtime } = arrange();
    assert.equal(await status("good-stranger"), 403);
    assert.equal(await status("good-stranger"), 403);
    assert.deepEqual(reviews(), ["TokenReview", "SubjectAccessReview"]);
    assert.equal(await status("good-stranger", "/metrics", "HEAD"), 403);
    assert.equal(await status("good-reader"), 200, "another user's answer is another");
    assert.deepEqual(reviews(), ["SubjectAccessReview", "TokenReview", "SubjectAccessReview"]);
    await runtime.advance(30_000);
    assert.equal(await status("good-stranger"), 403);
    assert.deepEqual(reviews(), ["SubjectAccessReview"]);
  });

  it("lets nobody in on an answer that says nothing", async () => {
    for (const body of [
      {},
      { status: {} },
      { status: { authenticated: "true" } },
      { status: null },
    ]) {
      const { status } = arrange((exchange) => exchange.answer(201, body));
      assert.equal(await status("good-reader"), 401, JSON.stringify(body));
    }
    for (const allowed of [undefined, "true", 1, null]) {
      const { status } = arrange((exchange, kind) =>
        kind === "TokenReview"
          ? working(exchange, kind)
          : exchange.answer(201, { status: { allowed } }),
      );
      assert.equal(await status("good-reader"), 403, String(allowed));
    }
  });

  it("gives a silent API server ten seconds, whoever waits", async () => {
    const { status, runtime, reviews } = arrange(() => {});
    const answers = Promise.all([status("good-reader"), status("good-reader")]);
    let isOver = false;
    void answers.then(() => (isOver = true));
    await runtime.advance(9999);
    assert.equal(isOver, false);
    await runtime.advance(1);
    assert.deepEqual(await answers, [500, 500]);
    assert.deepEqual(reviews(), ["TokenReview"]);
  });

  it("asks a busy API server a few times, within ten seconds", async () => {
    const { status, runtime, reviews } = arrange((exchange) =>
      exchange.refuse(429, "TooManyRequests", { retryAfterSeconds: 1 }),
    );
    const answer = status("good-reader");
    await runtime.advance(10_000);
    assert.equal(await answer, 500);
    const { length } = reviews();
    assert.ok(length <= 11, `${length} reviews`);
    await runtime.advance(60_000);
    assert.deepEqual(reviews(), []);
  });

  it("asks once about a bad token, however often it comes", async () => {
    const { status, reviews, runtime } = arrange();
    const storm = await Promise.all(Array.from({ length: 500 }, () => status("bad")));
    assert.deepEqual(new Set(storm), new Set([401]));
    for (let i = 0; i < 50; i++) assert.equal(await status("bad"), 401);
    assert.deepEqual(reviews(), ["TokenReview"]);
    await runtime.advance(60_000);
    assert.equal(await status("bad"), 401);
    assert.deepEqual(reviews(), ["TokenReview"]);
  });

  it("keeps a thousand tokens: of others, those that came last", async () => {
    const { status, reviews } = arrange();
    await status("good-reader");
    for (let i = 0; i < 999; i++) await status(`bad-${i}`);
    reviews();
    await status("good-reader");
    assert.deepEqual(reviews(), [], "the oldest of a thousand");
    await status("bad-more");
    await status("good-reader");
    assert.deepEqual(reviews(), ["TokenReview", "TokenReview"]);
  });

  it("keeps no token in memory", async () => {
    const { status, reviews } = arrange();
    const mark = Buffer.from(String(Math.random())).toString("hex");
    const tokens = (): readonly string[] => ["good", "bad"].map((kind) => `${kind}-${mark}`);
    for (const token of tokens()) await status(token);
    assert.equal(reviews().length, 3);
    // The engine keeps the text of the last match.
    assert.ok(/^/.test(""));
    const held = await stringsOnHeap((text) => tokens().some((token) => text.includes(token)));
    assert.deepEqual(held, []);
    for (const token of tokens()) await status(token);
    assert.deepEqual(reviews(), [], "and knows them");
  });
});
