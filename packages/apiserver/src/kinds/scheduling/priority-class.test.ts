import assert from "node:assert/strict";
import { test } from "node:test";
import { openKind } from "../open-kind.suite.ts";

const classes = openKind("scheduling.k8s.io", "priorityclasses");

test("names of the system are reserved, and high values with them", () => {
  assert.deepEqual(classes.create({ metadata: { name: "system-mine" }, value: 1 }).errors, [
    "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
  ]);
  assert.deepEqual(
    classes.create({ metadata: { name: "system-cluster-critical" }, value: 2_000_000_000 }).errors,
    [],
  );
  assert.deepEqual(classes.create({ metadata: { name: "mine" }, value: 1_000_000_001 }).errors, [
    "value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
  ]);
});

test("value and preemption stay", () => {
  const { object } = classes.create({ metadata: { name: "mine" }, value: 1 });
  assert.deepEqual(
    classes.update(object, { metadata: { name: "mine" }, value: 2, preemptionPolicy: "Never" })
      .errors,
    [
      "value: Forbidden: may not be changed in an update.",
      'preemptionPolicy: Invalid value: "Never": field is immutable',
    ],
  );
});
