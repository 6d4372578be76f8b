import assert from "node:assert/strict";
import { test } from "node:test";
import { openKind } from "../open-kind.suite.ts";

const budgets = openKind("policy", "poddisruptionbudgets");
const metadata = { name: "b", namespace: "n" };

test("one bound, a number or a share", () => {
  assert.deepEqual(
    budgets.create({ metadata, spec: { minAvailable: "120%", maxUnavailable: -1 } }).errors,
    [
      'spec: Invalid value: {"MinAvailable":"120%","Selector":null,"MaxUnavailable":-1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      'spec.minAvailable: Invalid value: "120%": must not be greater than 100%',
      "spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0",
    ],
  );
});

test("conditions in the status are checked, the spec is not touched", () => {
  const { object } = budgets.create({ metadata, spec: { minAvailable: 1 } });
  const { errors, object: next } = budgets.update(
    object,
    {
      metadata,
      spec: { minAvailable: 2 },
      status: { disruptionsAllowed: 1, conditions: [{ type: "X", status: "Maybe" }] },
    },
    "status",
  );
  assert.deepEqual(next["spec"], { minAvailable: 1 });
  assert.deepEqual(errors, [
    'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
    "status.conditions[0].lastTransitionTime: Required value",
    "status.conditions[0].reason: Required value",
  ]);
});
