import assert from "node:assert/strict";
import { test } from "node:test";
import { openKind } from "../open-kind.suite.ts";

const group = "rbac.authorization.k8s.io";

test("a rule names verbs, and either resources or paths", () => {
  const rules = [
    { apiGroups: [""], resources: ["pods"] },
    { nonResourceURLs: ["/x"], resources: ["pods"], verbs: ["get"] },
  ];
  assert.deepEqual(
    openKind(group, "roles").create({ metadata: { name: "a", namespace: "n" }, rules }).errors,
    [
      "rules[0].verbs: Required value: verbs must contain at least one value",
      'rules[1].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
      'rules[1].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  );
});

test("an aggregation needs selectors that can be read", () => {
  const kind = openKind(group, "clusterroles");
  assert.deepEqual(kind.create({ metadata: { name: "a" }, aggregationRule: {} }).errors, [
    "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
  ]);
  assert.equal(
    kind.create({
      metadata: { name: "a" },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    }).errors.length,
    0,
  );
});

test("users and groups belong to the group of roles, and a binding keeps its role", () => {
  const kind = openKind(group, "rolebindings");
  const binding = {
    metadata: { name: "a", namespace: "n" },
    roleRef: { kind: "Role", name: "r" },
    subjects: [
      { kind: "User", name: "ann" },
      { kind: "ServiceAccount", name: "ci", namespace: "x" },
    ],
  };
  const { object, errors } = kind.create(binding);
  assert.deepEqual([object["roleRef"], errors], [{ apiGroup: group, kind: "Role", name: "r" }, []]);
  assert.deepEqual(kind.cells(object).slice(1), ["Role/r", "<unknown>", "ann", "", "x/ci"]);
  assert.deepEqual(
    kind.update(object, { ...binding, roleRef: { kind: "ClusterRole", name: "r" } }).errors,
    [
      `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"ClusterRole","Name":"r"}: cannot change roleRef`,
    ],
  );
});

test("a cluster-wide binding names the namespace of an account and no other subject", () => {
  const subjects = [
    { kind: "ServiceAccount", name: "ci" },
    { kind: "Robot", name: "x" },
  ];
  assert.deepEqual(
    openKind(group, "clusterrolebindings").create({
      metadata: { name: "a" },
      roleRef: { kind: "Role", name: "r" },
      subjects,
    }).errors,
    [
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      "subjects[0].namespace: Required value",
      'subjects[1].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
    ],
  );
});
