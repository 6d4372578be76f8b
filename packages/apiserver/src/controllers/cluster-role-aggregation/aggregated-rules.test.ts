import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterRole, PolicyRule } from "homeostat/k8s/rbac/v1";
import { aggregatedRules } from "./aggregated-rules.ts";

const rule = (resource: string): PolicyRule => ({
  verbs: ["get"],
  apiGroups: [""],
  resources: [resource],
});

function role(
  name: string,
  labels: Readonly<Record<string, string>>,
  ...resources: readonly string[]
): ClusterRole {
  return { metadata: { name, labels }, rules: resources.map(rule) } as unknown as ClusterRole;
}

const sum = (...clusterRoleSelectors: readonly object[]): ClusterRole =>
  ({
    metadata: { name: "sum", labels: { part: "1" } },
    aggregationRule: { clusterRoleSelectors },
    rules: [rule("own")],
  }) as unknown as ClusterRole;

const part = { matchLabels: { part: "1" } };
const piece = { matchExpressions: [{ key: "piece", operator: "Exists" }] };

test("rules come by selector, then by name, and once each; a role is no part of itself", () => {
  const aggregated = sum(piece, part);
  const roles = [
    aggregated,
    role("z", { part: "1" }, "z", "shared"),
    role("b", { part: "1" }, "b"),
    role("c", { piece: "", part: "1" }, "c", "shared"),
    role("other", {}, "other"),
  ];
  assert.deepEqual(aggregatedRules(aggregated, roles), ["c", "shared", "b", "z"].map(rule));
});

test("an empty selector selects every role, and no selector none", () => {
  const roles = [role("a", {}, "a"), role("b", { part: "1" }, "b")];
  assert.deepEqual(aggregatedRules(sum({}), roles), ["a", "b"].map(rule));
  assert.deepEqual(aggregatedRules(sum(), roles), []);
});
