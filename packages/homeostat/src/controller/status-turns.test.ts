import assert from "node:assert/strict";
import { test } from "node:test";
import { StatusTurns } from "./status-turns.ts";

test("writes of one object take turns, also behind one that failed; others do not wait", async () => {
  const turns = new StatusTurns();
  const first = Promise.withResolvers<string>();
  const order: string[] = [];
  const take = (uid: string, name: string, result: Promise<string>) =>
    turns.take(uid, () => {
      order.push(name);
      return result;
    });
  const a = take("u1", "a", first.promise);
  const b = take("u1", "b", Promise.resolve("b"));
  const c = take("u1", "c", Promise.resolve("c"));
  assert.equal(await take("u2", "other", Promise.resolve("other")), "other");
  assert.deepEqual(order, ["a", "other"]);
  first.reject(new Error("refused"));
  await assert.rejects(a, /refused/);
  assert.deepEqual(await Promise.all([b, c]), ["b", "c"]);
  assert.deepEqual(order, ["a", "other", "b", "c"]);
  assert.equal(turns.size, 0);
});
