// Keys that failed because of the server come back soon after it does, however far their back-off
// has grown, and errors of the user's code are not retried sooner.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiStatusError } from "../../api/status.ts";
import { ServerPace } from "../../cache/server-pace.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { RetryPace, serverFault } from "./retry-pace.ts";

const status = (code: number, details = {}): ApiStatusError =>
  new ApiStatusError({ kind: "Status", code, message: "no", details } as never);
const lost = new HomeostatError("ERR_CLIENT_CONNECTION_LOST", "lost", { hint: "" });

describe("serverFault", () => {
  it("is what the server or the connection did, also as the cause of another error", () => {
    for (const code of [401, 409, 429, 500, 503, 504]) assert.ok(serverFault(status(code)));
    assert.ok(serverFault(new Error("step", { cause: new Error("own", { cause: lost }) })));
    assert.equal(serverFault(status(429, { retryAfterSeconds: 3 }))?.retryAfterMs, 3000);
  });

  it("is no error of the user's code, and no refusal of one object", () => {
    const circle = new Error("circle");
    circle.cause = circle;
    for (const error of [new TypeError("bar"), status(422), status(403), circle, undefined, "x"])
      assert.equal(serverFault(error), undefined);
  });
});

describe("RetryPace", () => {
  it("retries one key a second, and all within a second after one has succeeded", async () => {
    const runtime = createVirtualRuntime();
    const retries = new RetryPace(new ServerPace(runtime));
    const tried: string[] = [];
    const fail = (key: string): void =>
      retries.failed(key, status(500), 60_000, () => {
        tried.push(key);
        fail(key);
      });
    for (let i = 0; i < 20; i++) fail(`k${i}`);
    await runtime.advance(10_000);
    assert.ok(tried.length >= 6 && tried.length <= 11, `${tried.length} in 10 s`);
    assert.equal(new Set(tried).size, tried.length, "in turn");
    tried.length = 0;
    retries.succeeded("k3");
    await runtime.advance(500);
    assert.equal(new Set(tried).size, 19);
  });

  it("leaves other errors and short back-offs to the back-off", async () => {
    const runtime = createVirtualRuntime();
    const retries = new RetryPace(new ServerPace(runtime));
    retries.failed("a", new TypeError("bar"), 60_000, () => assert.fail("not earlier"));
    retries.failed("b", lost, 320, () => assert.fail("not earlier"));
    await runtime.advance(20_000);
  });

  it("forgets keys that succeed, fail otherwise or stop", async () => {
    const runtime = createVirtualRuntime();
    const retries = new RetryPace(new ServerPace(runtime));
    for (const key of ["a", "b", "c"])
      retries.failed(key, lost, 60_000, () => assert.fail("forgotten"));
    retries.succeeded("a");
    retries.failed("b", new TypeError("bar"), 60_000, () => assert.fail("forgotten"));
    retries.stop();
    await runtime.advance(20_000);
    assert.equal(runtime.nextTimerMs(), undefined);
  });
});
