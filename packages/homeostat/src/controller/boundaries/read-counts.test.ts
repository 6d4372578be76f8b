import assert from "node:assert/strict";
import { test } from "node:test";
import { ReadCounts } from "./read-counts.ts";

function begin() {
  const named: string[] = [];
  const counts = new ReadCounts((key) => void named.push(key));
  for (const key of ["a", "b"]) counts.follow(key);
  const yields = async (): Promise<readonly string[]> => {
    await Promise.resolve();
    return named.splice(0);
  };
  return { counts, yields };
}

test("a key that is read more often than others is read by name, each time", async () => {
  const { counts, yields } = begin();
  assert.equal(counts.counts("a"), true);
  assert.deepEqual(await yields(), ["a"]);
  counts.counts("a");
  assert.deepEqual(await yields(), ["a"]);
});

test("a read of all keys is none by name, whatever was read before", async () => {
  const { counts, yields } = begin();
  counts.counts("a");
  assert.deepEqual(await yields(), ["a"]);
  for (const key of ["a", "b"]) counts.counts(key);
  assert.deepEqual(await yields(), []);
});

test("a key that is followed again keeps its reads; others are not counted", async () => {
  const { counts, yields } = begin();
  counts.counts("b");
  counts.follow("b");
  assert.equal(counts.counts("other"), false);
  assert.deepEqual(await yields(), ["b"]);
});
