import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipHeaders } from "./compress-body.ts";

const answer = (bytes: number, type = "application/json") => ({
  status: 200,
  headers: { "content-type": type },
  body: new Uint8Array(bytes),
});

test("compresses large objects, and always metrics and OpenAPI v2, as the request accepts", () => {
  const packed = { "content-encoding": "gzip" };
  assert.deepEqual(gzipHeaders("/api/v1/pods", "br, gzip", answer(200_000)), {
    ...packed,
    vary: "Accept-Encoding",
  });
  assert.equal(gzipHeaders("/api/v1/pods", "gzip", answer(1000)), undefined);
  assert.equal(gzipHeaders("/api/v1/pods", "gzip;q=0.5", answer(200_000)), undefined);
  for (const path of ["/metrics", "/metrics/slis", "/openapi/v2"]) {
    assert.deepEqual(
      gzipHeaders(path, "deflate, gzip;q=0.5", answer(1000, "text/plain")),
      packed,
      path,
    );
    for (const accepted of [undefined, "br", "*", "gzip;q=0", "gzip; q=0.0"])
      assert.equal(gzipHeaders(path, accepted, answer(1000)), undefined, `${path} ${accepted}`);
  }
  assert.equal(gzipHeaders("/openapi/v3/api/v1", "gzip", answer(200_000)), undefined);
  assert.equal(gzipHeaders("/openapi/v2", "gzip", answer(0)), undefined);
});
