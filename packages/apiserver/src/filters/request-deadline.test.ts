import assert from "node:assert/strict";
import { test } from "node:test";
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
