import assert from "node:assert/strict";
import { test } from "node:test";
import { pathAction, resourceAction } from "../apimachinery/authorizer.ts";
import { type AuditPolicyRule, createAuditEvaluator } from "./audit-policy.ts";

const user = { name: "jane", groups: ["devs", "system:authenticated"] };
const pod = resourceAction({ verb: "get", resource: "pods", namespace: "shop", name: "web" });
const log = resourceAction({ ...pod, subresource: "log" });
const node = resourceAction({ verb: "list", resource: "nodes" });
const scale = resourceAction({
  verb: "update",
  group: "apps",
  resource: "deployments",
  subresource: "scale",
  namespace: "shop",
  name: "web",
});
const health = pathAction("get", "/livez/ping");

/** Which of the five requests a rule matches. */
function matched(rule: Omit<AuditPolicyRule, "level">): string {
  const evaluate = createAuditEvaluator({ rules: [{ ...rule, level: "Metadata" }] });
  const requests = { pod, log, node, scale, health };
  return Object.entries(requests)
    .filter(([, info]) => evaluate(user, info).level === "Metadata")
    .map(([name]) => name)
    .join(" ");
}

test("a rule matches what all of its lists match", () => {
  const all = "pod log node scale health";
  const resources = (...names: readonly string[]) => [{ group: "*", resources: names }];
  assert.equal(matched({}), all);
  assert.equal(matched({ users: ["jane"], userGroups: ["ops", "devs"] }), all);
  assert.equal(matched({ users: ["joe"] }), "");
  assert.equal(matched({ userGroups: ["ops"] }), "");
  assert.equal(matched({ verbs: ["get"] }), "pod log health");
  assert.equal(matched({ namespaces: ["shop"] }), "pod log scale");
  assert.equal(matched({ namespaces: [""] }), "node");
  assert.equal(matched({ resources: [{}] }), "pod log node");
  assert.equal(matched({ resources: [{ group: "apps" }], namespaces: ["shop"] }), "scale");
  assert.equal(matched({ resources: resources("pods") }), "pod");
  assert.equal(matched({ resources: resources("pods/log") }), "log");
  assert.equal(matched({ resources: resources("pods/*") }), "pod log");
  assert.equal(matched({ resources: resources("*/scale") }), "scale");
  assert.equal(matched({ resources: resources("*/*") }), "");
  assert.equal(matched({ resources: resources("*") }), "pod log node scale");
  const named = [{ resources: ["pods", "pods/log"], resourceNames: ["db"] }];
  assert.equal(matched({ resources: named }), "");
  assert.equal(matched({ resources: [{ ...named[0], resourceNames: ["db", "web"] }] }), "pod log");
  assert.equal(matched({ nonResourceURLs: ["/livez*"] }), "health");
  assert.equal(matched({ nonResourceURLs: ["*"] }), "health");
  assert.equal(matched({ nonResourceURLs: ["/livez", "/readyz*"] }), "");
});

test("a request that fails to authenticate matches no rule about users", () => {
  const rules = [
    { level: "None", users: [""] },
    { level: "None", userGroups: ["devs"] },
  ] as const;
  const evaluate = createAuditEvaluator({ rules: [...rules, { level: "Request" }] });
  assert.equal(evaluate(undefined, pod).level, "Request");
});

test("the first rule that matches decides, and completes what the policy omits", () => {
  const evaluate = createAuditEvaluator({
    omitStages: ["RequestReceived"],
    omitManagedFields: true,
    rules: [
      { level: "Request", verbs: ["get"], omitStages: ["Panic"], omitManagedFields: false },
      { level: "Metadata", verbs: ["get", "list"] },
    ],
  });
  assert.deepEqual(evaluate(user, pod), {
    level: "Request",
    omitStages: new Set(["RequestReceived", "Panic"]),
    omitManagedFields: false,
  });
  assert.deepEqual(evaluate(user, node), {
    level: "Metadata",
    omitStages: new Set(["RequestReceived"]),
    omitManagedFields: true,
  });
  assert.equal(evaluate(user, scale).level, "None");
});
