import assert from "node:assert/strict";
import { test } from "node:test";
import { nameIsDnsSubdomain, nameIsLongName } from "./names.ts";

test("a long name is a DNS subdomain whose length is told in bytes", () => {
  const long = "a".repeat(254);
  assert.deepEqual(nameIsDnsSubdomain(long, false), ["must be no more than 253 characters"]);
  assert.deepEqual(nameIsLongName(long, false), ["must be no more than 253 bytes"]);
  assert.deepEqual(nameIsLongName("A", false), nameIsDnsSubdomain("A", false));
});
