import assert from "node:assert/strict";
import { test } from "node:test";
import { LruCache } from "./lru-cache.ts";

test("the least recently used entry is evicted: reading and writing use one", () => {
  const evicted: number[] = [];
  const cache = new LruCache<number>(2, (value) => evicted.push(value));
  cache.set("a", 1);
  cache.set("b", 2);
  assert.equal(cache.get("a"), 1);
  cache.set("c", 3);
  assert.deepEqual([cache.get("a"), cache.get("b"), cache.get("c")], [1, undefined, 3]);
  cache.set("a", 4);
  cache.set("d", 5);
  assert.deepEqual([...cache.values()], [4, 5]);
  assert.deepEqual(evicted, [2, 3], "a replaced value is not evicted");
  cache.clear();
  assert.equal(cache.get("a"), undefined);
});
