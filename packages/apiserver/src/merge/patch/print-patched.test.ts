import assert from "node:assert/strict";
import { test } from "node:test";
import { printJsonPatched, printMergePatched } from "./print-patched.ts";

test("a merge patch sorts the objects that it touches", () => {
  assert.equal(
    printMergePatched(
      { kind: "K", data: { z: 1, b: { y: 1, x: 2 } }, also: { q: 1, p: 2 } },
      { data: { b: null, c: { n: null, m: { d: 1, a: 2 } } }, kind: 5 },
    ),
    '{"also":{"q":1,"p":2},"data":{"c":{"m":{"a":2,"d":1}},"z":1},"kind":5}',
  );
  assert.equal(
    printMergePatched({ a: { b: 1 } }, { a: [{ z: 1, y: null }] }),
    '{"a":[{"z":1,"y":null}]}',
  );
});

test("a JSON patch sorts what is on the way to its places", () => {
  const patched = { b: { z: { k: 1, j: 2 }, y: 1 }, a: { d: 1, c: 2 }, "x/y": [{ q: 1, p: 1 }] };
  assert.equal(
    printJsonPatched(patched, [{ op: "add", path: "/b/z", value: 1 }]),
    '{"a":{"d":1,"c":2},"b":{"y":1,"z":{"k":1,"j":2}},"x/y":[{"q":1,"p":1}]}',
  );
  assert.equal(
    printJsonPatched(patched, [{ op: "move", path: "/a/c", from: "/x~1y/0/p" }]),
    '{"a":{"c":2,"d":1},"b":{"z":{"k":1,"j":2},"y":1},"x/y":[{"p":1,"q":1}]}',
  );
});
