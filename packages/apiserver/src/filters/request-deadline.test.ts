import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { openRequest } from "../registry/request/server-request.ts";
import { beforeDeadline } from "./request-deadline.ts";
import { createTestServer, widget, widgetsPath } from "../server/testdata/test-server.ts";

test("a timeout must be a duration, except on watches", async () => {
  const { ask, watch } = await createTestServer();
  for (const text of ["5s", "1h30m", "-1s", "0", "1.5s", ""])
    assert.equal((await ask("GET", `${widgetsPath}?timeout=${text}`)).status, 200, text);
  for (const [text, why] of [
    ["x", 'invalid duration "x"'],
    ["5", 'missing unit in duration "5"'],
    ["5d", 'unknown unit "d" in duration "5d"'],
  ]) {
    assert.equal(
      (await ask("GET", `${widgetsPath}?timeout=${text}`)).body.message,
      `invalid timeout specified in the request URL - time: ${why}`,
    );
  }
  (await watch(`${widgetsPath}?watch=1&timeout=x`)).close();
});

test("a timeout below any possible duration expires before any work", async () => {
  const { ask, store } = await createTestServer();
  const before = store.revision();
  for (const [method, text] of [
    ["GET", "1ns"],
    ["POST", "0.001us"],
    ["DELETE", "99us"],
  ] as const) {
    const {
      status,
      headers,
      text: body,
    } = await ask(
      method,
      `${widgetsPath}?timeout=${text}`,
      method === "POST" ? widget("a") : undefined,
    );
    assert.deepEqual(
      [status, headers["content-type"], body],
      [
        504,
        "text/plain; charset=utf-8",
        '{"metadata":{},"status":"Failure","message":"Timeout: request did not complete within the allotted timeout","reason":"Timeout","details":{},"code":504}\n',
      ],
    );
  }
  assert.equal(store.revision(), before);
});

/** Whether a request is timed out after so many milliseconds of work, and what it is told then. */
async function after(
  ms: number,
  path: string,
  serves = false,
): Promise<readonly [timedOut: boolean, status: number]> {
  const runtime = createVirtualRuntime();
  const request = openRequest(
    { method: "GET", path, headers: {}, body: new Uint8Array() },
    runtime.clock.now(),
  );
  const done = Promise.withResolvers<ApiResponse>();
  const services = { core: { runtime }, aggregator: { serves: () => serves } };
  const answer = beforeDeadline(request, services, () => done.promise);
  await runtime.advance(ms);
  done.resolve({ status: 200, headers: {}, body: new Uint8Array() });
  return [request.isTimedOut, (await answer).status];
}

test("a short request is over at its deadline, a minute at most", async () => {
  const pods = "/api/v1/pods";
  assert.deepEqual(await after(999, `${pods}?timeout=1s`), [false, 200]);
  assert.deepEqual(await after(1000, `${pods}?timeout=1s`), [true, 504]);
  for (const text of ["100h", "0s", "-5s"]) {
    assert.deepEqual(await after(59_999, `${pods}?timeout=${text}`), [false, 200], text);
    assert.deepEqual(await after(60_000, `${pods}?timeout=${text}`), [true, 504], text);
  }
  assert.deepEqual(await after(60_000, pods), [false, 200]);
  assert.deepEqual(await after(60_000, pods, true), [true, 504]);
});

test("a long-running request has no deadline", async () => {
  for (const path of ["pods?watch=1&", "namespaces/a/pods/b/log?", "namespaces/a/pods/b/proxy?"])
    assert.deepEqual(await after(2000, `/api/v1/${path}timeout=1s`, true), [false, 200], path);
});
