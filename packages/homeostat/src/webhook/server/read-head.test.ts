import assert from "node:assert/strict";
import { test } from "node:test";
import { readHead } from "./read-head.ts";

const read = (...lines: readonly string[]) =>
  readHead(Buffer.from(`${lines.join("\r\n")}\r\n\r\n{}`));
const start = "POST /validate?timeout=10s HTTP/1.1";
const plain = ["Host: h:443", "Content-Type: application/json", "content-length: 2"];

test("what API servers send is plain", () => {
  assert.deepEqual(read(start, ...plain, "User-Agent: kube-apiserver", "Accept-Encoding: gzip"), {
    path: "/validate",
    query: "timeout=10s",
    contentType: "application/json",
    bodyStart: 154,
    bodyLength: 2,
  });
  const bare = read("POST /a HTTP/1.1", "host: h", "content-length:0", "connection: keep-alive");
  assert.deepEqual([bare?.query, bare?.contentType, bare?.bodyLength], [undefined, "", 0]);
});

test("all that could end elsewhere, or mean something else, is Node's", () => {
  for (const line of [
    "Transfer-Encoding: chunked",
    "Expect: 100-continue",
    "Upgrade: h2c",
    "Trailer: a",
    "Connection: close",
    "Content-Length: 2",
    "no colon",
    " folded: x",
    "name : x",
    "name: \u0001",
    "bare\nline: x",
  ])
    assert.equal(read(start, ...plain, line), undefined, line);
  for (const length of ["+2", "2, 2", "0x2", "-1", "", "1234567890"])
    assert.equal(read(start, "Host: h", `Content-Length: ${length}`), undefined, length);
  for (const first of [
    "GET / HTTP/1.1",
    "POST / HTTP/1.0",
    "POST http://h/ HTTP/1.1",
    "POST  / HTTP/1.1",
    "POST /\u0001 HTTP/1.1",
  ])
    assert.equal(read(first, ...plain), undefined, first);
  assert.equal(read(start, "Content-Length: 2"), undefined, "no host");
  assert.equal(read(start, ...plain, `a: ${"b".repeat(8192)}`), undefined, "long");
  assert.equal(readHead(Buffer.from(`${start}\r\nHost: h\r\n`)), undefined, "not complete");
});
