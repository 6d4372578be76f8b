import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { createStructPlans } from "./struct-plans.ts";
import { createListUnsetter } from "./unset-empty-lists.ts";

const plans = createStructPlans(readKindData("1.36"));
const unset = (model: string, object: JsonObject): JsonObject => {
  createListUnsetter(plans, model)!(object);
  return object;
};

test("empty lists that Go writes become null, wherever they are", () => {
  assert.deepEqual(
    unset("io.k8s.api.rbac.v1.Role", { rules: [{ verbs: [], apiGroups: [], resources: ["a"] }] }),
    { rules: [{ verbs: null, apiGroups: [], resources: ["a"] }] },
  );
  assert.deepEqual(
    unset("io.k8s.api.discovery.v1.EndpointSlice", { endpoints: [], ports: [], metadata: {} }),
    { endpoints: null, ports: null, metadata: {} },
  );
});

test("what validation refuses when it is empty stays, for its message", () => {
  const spec = { podFailurePolicy: { rules: [{ onExitCodes: { values: [] } }] } };
  assert.deepEqual(unset("io.k8s.api.batch.v1.Job", { spec }), {
    spec: { podFailurePolicy: { rules: [{ onExitCodes: { values: [] } }] } },
  });
});

test("a kind without such lists is not walked", () => {
  assert.equal(createListUnsetter(plans, "io.k8s.api.core.v1.ConfigMap"), undefined);
});
