import assert from "node:assert/strict";
import { test } from "node:test";
import { ReferenceCache } from "./reference-cache.ts";

const owner = (uid: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "Box",
  namespace: "n",
  name: "a",
  uid,
  ...more,
});

test("an absent owner is known from every reference to it", () => {
  const absent = new ReferenceCache();
  absent.add(owner("1"));
  assert.equal(absent.has(owner("1")), true);
  for (const other of [
    owner("2"),
    owner("1", { namespace: "" }),
    owner("1", { name: "b" }),
    owner("1", { kind: "Bag" }),
    owner("1", { apiVersion: "v2" }),
  ])
    assert.equal(absent.has(other), false);
});

test("remembers five hundred, and evicts the least recently used", () => {
  const absent = new ReferenceCache();
  for (let i = 0; i < 500; i++) absent.add(owner(String(i)));
  assert.equal(absent.has(owner("0")), true);
  absent.add(owner("one more"));
  assert.deepEqual(
    [absent.has(owner("0")), absent.has(owner("1")), absent.has(owner("2"))],
    [true, false, true],
  );
});
