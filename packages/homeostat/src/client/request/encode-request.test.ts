import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeRequest } from "./encode-request.ts";

const defaults = { accept: "application/json", "user-agent": "kitchen" };
const headersOf = (headers: Readonly<Record<string, string | undefined>>, body?: object) =>
  encodeRequest(
    { method: "POST", path: "/x", headers, ...(body ? { body: body as never } : {}) },
    defaults,
  ).headers;

test("headers of the request override the defaults; undefined ones are left out", () => {
  assert.deepEqual(headersOf({}), defaults);
  assert.deepEqual(headersOf({}, {}), { ...defaults, "content-type": "application/json" });
  assert.deepEqual(headersOf({ accept: "text/plain", "x-one": "1" }), {
    ...defaults,
    accept: "text/plain",
    "x-one": "1",
  });
  assert.deepEqual(
    headersOf({ accept: undefined, "content-type": undefined, "x-one": undefined }, {}),
    {
      ...defaults,
      "content-type": "application/json",
    },
  );
});
