import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestServer, widgetsPath } from "./testdata/test-server.ts";

test("a timeout must be a duration, except on watches", async () => {
  const { ask, watch } = await createTestServer();
  for (const text of ["5s", "1h30m", "-1s", "0", "1.5s", ""]) assert.equal((await ask("GET", `${widgetsPath}?timeout=${text}`)).status, 200, text);
  for (const [text, why] of [
    ["x", 'invalid duration "x"'],
    ["5", 'missing unit in duration "5"'],
    ["5d", 'unknown unit "d" in duration "5d"'],
  ]) {
    assert.equal((await ask("GET", `${widgetsPath}?timeout=${text}`)).body.message, `invalid timeout specified in the request URL - time: ${why}`);
  }
  (await watch(`${widgetsPath}?watch=1&timeout=x`)).close();
});
