import assert from "node:assert/strict";
import { it } from "node:test";
import { locateError } from "./error-location.ts";

const at = (stack: string) =>
  locateError({ stack }, { cwd: "/home/me/shop", own: "/home/me/framework/" });

it("names the first frame of the user's code", () => {
  const frames = [
    "TypeError: Cannot read properties of undefined (reading 'bar')",
    "    at node:internal/process/task_queues:104:5",
    "    at async run (file:///home/me/framework/src/run.ts:3:4)",
    "    at parse (/home/me/shop/node_modules/zod/index.js:1:2)",
    "    at async Object.reconcile (file:///home/me/shop/src/my%20sites.ts:17:47)",
    "    at async other (file:///home/me/shop/src/other.ts:1:1)",
  ].join("\n");
  assert.equal(at(frames), "src/my sites.ts:17:47");
  assert.equal(at("Error: x\n    at /home/me/lib/a.ts:1:2"), "../lib/a.ts:1:2");
});

it("is silent about what has no such frame", () => {
  assert.equal(at("Error: x\n    at node:fs:1:2"), undefined);
  assert.equal(at("Error: see /home/me/shop/src/a.ts:1:2"), undefined);
  const throwing = Object.defineProperty({}, "stack", { get: () => assert.fail() });
  for (const value of [undefined, "text", null, throwing])
    assert.equal(locateError(value, { cwd: "/", own: "/x" }), undefined);
});
