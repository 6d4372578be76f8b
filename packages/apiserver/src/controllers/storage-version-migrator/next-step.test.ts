import assert from "node:assert/strict";
import { test } from "node:test";
import type { StorageVersionMigration } from "homeostat/k8s/storagemigration/v1beta1";
import { nextStep, withCondition } from "./next-step.ts";

function migration(
  name: string,
  holding: readonly string[],
  { resource = "as", resourceVersion = "" } = {},
): StorageVersionMigration {
  const conditions = holding.map((type) => ({ type, status: "True" }));
  return {
    metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { resource: { group: "x.io", resource } },
    status: { conditions, resourceVersion },
  } as unknown as StorageVersionMigration;
}

test("a migration starts, notes the revision, rewrites, and is cleaned up", () => {
  const stepOf = (holding: readonly string[], resourceVersion = "") => {
    const one = migration("a", holding, { resourceVersion });
    return nextStep(one, [one]);
  };
  assert.equal(stepOf([]), "promote");
  assert.equal(stepOf(["Running"]), "checkpoint");
  assert.equal(stepOf(["Running"], "7"), "migrate");
  assert.equal(stepOf(["Running", "Failed"]), "clean-up");
  assert.equal(stepOf(["Succeeded"], "7"), undefined);
});

test("migrations of one resource run one after the other, the oldest first", () => {
  const [a, b] = [migration("a", []), migration("b", [])];
  const other = migration("c", ["Running"], { resource: "bs" });
  assert.equal(nextStep(b, [b, a, other]), undefined);
  assert.equal(nextStep(a, [b, a, other]), "promote");
  assert.equal(nextStep(a, [migration("b", ["Running"]), a]), undefined);
  assert.equal(nextStep(b, [b, migration("a", ["Failed"])]), "promote");
});

test("a condition is set once", () => {
  const now = { reason: "R", message: "", lastTransitionTime: "2026-01-02T00:00:00Z" };
  const one = migration("a", ["Running"]);
  assert.equal(withCondition(one, { type: "Running", ...now })?.conditions, one.status?.conditions);
  assert.equal(withCondition(one, { type: "Failed", ...now })?.conditions?.length, 2);
});
