import assert from "node:assert/strict";
import { test } from "node:test";
import { findStatusCondition, isStatusConditionTrue } from "./conditions.ts";

test("a condition is found by its type, and is true only with status True", () => {
  const conditions = [
    { type: "Ready", status: "True" },
    { type: "Synced", status: "Unknown" },
    { type: "Stalled", status: "False" },
  ] as const;
  assert.equal(findStatusCondition(conditions, "Synced"), conditions[1]);
  assert.equal(isStatusConditionTrue(conditions, "Ready"), true);
  assert.equal(isStatusConditionTrue(conditions, "Synced"), false);
  assert.equal(isStatusConditionTrue(conditions, "Stalled"), false);
  assert.equal(findStatusCondition(conditions.slice(1), "Ready"), undefined);
  assert.equal(isStatusConditionTrue(undefined, "Ready"), false);
});
