import assert from "node:assert/strict";
import { test } from "node:test";
import { kindsToCheck } from "./policy-kinds.ts";

const known = [
  { group: "", version: "v1", resource: "events", kind: "Event" },
  { group: "", version: "v1", resource: "pods", kind: "Pod" },
  { group: "apps", version: "v1", resource: "deployments", kind: "Deployment" },
  { group: "events.k8s.io", version: "v1", resource: "events", kind: "Event" },
  { group: "x.dev", version: "v1", resource: "things", kind: "Thing" },
  { group: "x.dev", version: "v2", resource: "things", kind: "Thing" },
];

function kindsOf(groups: string[], versions: string[], resources: string[]): readonly string[] {
  const rule = { apiGroups: groups, apiVersions: versions, resources };
  return kindsToCheck({ matchConstraints: { resourceRules: [rule] } }, known).map(
    ({ group, version, kind }) => `${group}/${version} ${kind}`,
  );
}

test("rules name kinds; those with wildcards name none", () => {
  assert.deepEqual(kindsOf(["apps"], ["v1"], ["deployments", "deployments/status", "*"]), [
    "apps/v1 Deployment",
  ]);
  assert.deepEqual(kindsOf(["x.dev"], ["v2", "v1"], ["things"]), [
    "x.dev/v1 Thing",
    "x.dev/v2 Thing",
  ]);
  assert.deepEqual(kindsOf(["*"], ["v1"], ["deployments"]), []);
  assert.deepEqual(kindsOf(["apps"], ["v1", "*"], ["deployments"]), []);
  assert.deepEqual(kindsOf(["apps"], ["v1"], ["pods"]), []);
});

test("the legacy group stands for any group, as in upstream's mapper", () => {
  assert.deepEqual(kindsOf([""], ["v1"], ["events"]), ["/v1 Event", "events.k8s.io/v1 Event"]);
});
