import assert from "node:assert/strict";
import { test } from "node:test";
import { Breaches } from "./breaches.ts";

test("each breach is reported once; those of one code that are too many hide no other", () => {
  const reported: string[] = [];
  const breaches = new Breaches("box", (key, { controller, code, message }) => {
    reported.push(`${controller} ${key} ${code} ${message}`);
  });
  const add = (code: "ERR_RESULT_UNUSED" | "ERR_READ_UNDECLARED", id: string): void =>
    breaches.add(code, { id, key: "n/a" }, () => ({ object: "Box n/a", message: id, hint: "" }));
  for (let i = 0; i < 1001; i++) add("ERR_RESULT_UNUSED", String(i));
  add("ERR_RESULT_UNUSED", "0");
  assert.equal(reported.length, 1000);
  add("ERR_READ_UNDECLARED", "0");
  assert.deepEqual(reported.slice(1000), ["box n/a ERR_READ_UNDECLARED 0"]);
  assert.equal(breaches.all().length, 1001);
});
