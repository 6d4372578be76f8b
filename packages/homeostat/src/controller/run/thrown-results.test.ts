import assert from "node:assert/strict";
import { test } from "node:test";
import { terminal } from "../outcome.ts";
import { ThrownResults } from "./thrown-results.ts";

const results = new ThrownResults();
const caught = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return error;
  }
};

test("errors that were thrown where they were made, also by a function of its own, and later", () => {
  const stop = () => terminal("no");
  const outcome = { terminal };
  for (const error of [
    caught(() => {
      throw terminal("no");
    }),
    caught(() => {
      throw stop();
    }),
    caught(() => {
      throw outcome.terminal("no");
    }),
  ])
    assert.equal(results.has(error), true);
});

test("and those that were not", () => {
  const kept = terminal("no");
  terminal("no");
  for (const error of [kept, undefined, 5, { stack: 5 }, { stack: "no frames" }])
    assert.equal(error === undefined ? false : results.has(error), false);
});

test("what rejects is thrown as well; a text that cannot be read tells nothing", () => {
  const stack = "Error: no\n    at file:///home/me/a.ts:1:1";
  const reading = (text: string | undefined) => new ThrownResults({ before: () => text });
  assert.equal(reading("  reject(").has({ stack }), true);
  assert.equal(reading("  throw(0,a.b)").has({ stack }), true);
  assert.equal(reading("  const rethrow = ").has({ stack }), false);
  assert.equal(reading("  rethrow ").has({ stack }), false);
  assert.equal(reading(undefined).has({ stack }), false);
});
