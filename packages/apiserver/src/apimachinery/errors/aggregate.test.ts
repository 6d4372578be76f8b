import assert from "node:assert/strict";
import { test } from "node:test";
import { aggregate, formatFieldError } from "./aggregate.ts";
import { required } from "./field-error.ts";

test("one message stands for itself, equal ones are listed once", () => {
  const missing = formatFieldError(required("spec.name", "why"));
  assert.equal(missing, "spec.name: Required value: why");
  assert.equal(aggregate([missing]), missing);
  assert.equal(aggregate(["a", "a"]), "a");
  assert.equal(aggregate(["b", "a", "b"]), "[b, a]");
});
