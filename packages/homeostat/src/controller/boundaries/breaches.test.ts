import assert from "node:assert/strict";
import { test } from "node:test";
import { type Breach, Breaches } from "./breaches.ts";

test("each breach is reported once; those of one code that are too many hide no other", () => {
  const reported: string[] = [];
  const breaches = new Breaches("box", (key, { controller, code, message }) => {
    reported.push(`${controller} ${key} ${code} ${message}`);
  });
  const add = (code: Breach["code"], id: string): void =>
    breaches.add(code, { id, key: "n/a" }, () => ({ object: "Box n/a", message: id, hint: "" }));
  for (let i = 0; i < 1001; i++) add("ERR_READ_UNDECLARED", `kind ${i}`);
  assert.equal(reported.splice(0).length, 1000);
  for (let i = 0; i < 1001; i++) add("ERR_RESULT_UNUSED", String(i));
  add("ERR_RESULT_UNUSED", "0");
  assert.equal(reported.length, 20, "one mistake, on each object");
  add("ERR_METADATA_UNDECLARED", "0");
  assert.deepEqual(reported.slice(20), ["box n/a ERR_METADATA_UNDECLARED 0"]);
  assert.equal(breaches.all().length, 1021);
});
