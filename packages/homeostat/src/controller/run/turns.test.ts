// Keys that failed because of the server come back soon after it does, however far their back-off
// has grown, and errors of the user's code are not retried sooner.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiStatusError } from "../../api/status.ts";
import { ServerPace } from "../../client/server-pace.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { type ServerFault, serverFault, Turns } from "./turns.ts";

const status = (code: number, details = {}): ApiStatusError =>
  new ApiStatusError({ kind: "Status", code, message: "no", details } as never);
const lost = new HomeostatError("ERR_CLIENT_CONNECTION_LOST", "lost", { hint: "" });

describe("serverFault", () => {
  it("is what the server or the connection did, also as the cause of another error", () => {
    for (const code of [401, 409, 429, 500, 503, 504]) assert.ok(serverFault(status(code)));
    assert.ok(serverFault(new Error("step", { cause: new Error("own", { cause: lost }) })));
    assert.equal(serverFault(status(429, { retryAfterSeconds: 3 }))?.retryAfterMs, 3000);
  });

  it("is of all requests, or may be of one object", () => {
    assert.ok(serverFault(lost)?.isOfAll);
    for (const code of [401, 429, 502, 503, 504]) assert.ok(serverFault(status(code))?.isOfAll);
    for (const code of [409, 500]) assert.equal(serverFault(status(code))?.isOfAll, false);
  });

  it("is no error of the user's code, and no refusal of one object", () => {
    const circle = new Error("circle");
    circle.cause = circle;
    for (const error of [new TypeError("bar"), status(422), status(403), circle, undefined, "x"])
      assert.equal(serverFault(error), undefined);
  });
});

const fault = (code: number, details = {}): ServerFault => serverFault(status(code, details))!;

function open(seed = 1) {
  const runtime = createVirtualRuntime({ seed });
  const pace = new ServerPace(runtime);
  const turns = new Turns(pace);
  const tried: string[] = [];
  const fail = (key: string, failures = 0): number =>
    turns.wait(key, { fault: fault(500), failures }, () => {
      tried.push(key);
      fail(key, failures + 1);
    });
  return { runtime, pace, turns, tried, fail };
}

describe("Turns", () => {
  it("try one key a second, and all within a second after one has succeeded", async () => {
    const { runtime, turns, tried, fail } = open();
    for (let i = 0; i < 20; i++) fail(`k${i}`);
    await runtime.advance(10_000);
    assert.ok(tried.length >= 6 && tried.length <= 11, `${tried.length} in 10 s`);
    assert.equal(new Set(tried).size, tried.length, "in turn");
    tried.length = 0;
    turns.succeeded("k3", { hasAnswer: true });
    await runtime.advance(500);
    assert.ok(tried.length >= 19, `${tried.length}`);
  });

  it("share one pace between controllers", async () => {
    const { runtime, pace, tried, fail } = open();
    const others = new Turns(pace);
    const failOther = (): number =>
      others.wait("other", { fault: fault(503), failures: 5 }, () => {
        tried.push("other");
        failOther();
      });
    failOther();
    fail("mine");
    await runtime.advance(20_000);
    assert.ok(tried.length >= 13 && tried.length <= 21, `${tried.length} in 20 s`);
    assert.equal(new Set(tried).size, 2);
  });

  it("give each controller one in turn, so that many failing keys hold up no other's", async () => {
    const { runtime, pace, tried, fail } = open();
    for (let i = 0; i < 200; i++) fail(`k${i}`);
    await runtime.advance(10_000);
    const others = new Turns(pace);
    tried.length = 0;
    const expectedMs = others.wait("other", { fault: fault(503), failures: 9 }, () =>
      tried.push("other"),
    );
    assert.ok(expectedMs < 3000, `${expectedMs}`);
    await runtime.advance(2950);
    assert.ok(tried.includes("other") && tried.length <= 3, tried.join());
  });

  it("pass to the next key when a run has asked the server nothing, which proves nothing", async () => {
    const { runtime, pace, turns } = open();
    const ran: string[] = [];
    for (let i = 0; i < 20; i++)
      turns.wait(`k${i}`, { fault: fault(503), failures: 0 }, () => {
        ran.push(`k${i}`);
        turns.succeeded(`k${i}`, { hasAnswer: false });
      });
    pace.wait(0, () => ran.push("watch"), { failures: 9, owner: turns });
    await runtime.advance(1);
    assert.ok(ran.length < 20);
    await runtime.advance(4000);
    assert.deepEqual([ran.length, ran.at(-1)], [21, "watch"]);
  });

  it("pass nothing for a run that another change had started", async () => {
    const { runtime, turns, tried, fail } = open();
    for (const key of ["a", "b", "c"]) fail(key);
    await runtime.advance(250);
    assert.deepEqual(tried, ["a"]);
    turns.succeeded("c", { hasAnswer: false });
    await runtime.advance(500);
    assert.deepEqual(tried, ["a"]);
  });

  it("say about when, and keep what the server asked to wait", async () => {
    const { runtime, turns, fail } = open();
    assert.ok(fail("a") <= 1000);
    assert.equal(
      turns.wait("b", { fault: fault(429, { retryAfterSeconds: 9 }), failures: 0 }, () => {
        assert.ok(runtime.clock.monotonic() >= 9000);
      }),
      9000,
    );
    await runtime.advance(20_000);
  });

  it("forget keys that succeed, fail otherwise or stop", async () => {
    const { runtime, turns } = open();
    for (const key of ["a", "b", "c"])
      turns.wait(key, { fault: fault(503), failures: 0 }, () => assert.fail("forgotten"));
    turns.succeeded("a", { hasAnswer: false });
    turns.forget("b");
    turns.stop();
    await runtime.advance(20_000);
    assert.equal(runtime.nextTimerMs(), undefined);
  });
});
