import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { Query } from "../registry/request/query.ts";
import { readRequestInfo } from "../registry/request/request-info.ts";
import { createFlowMatcher } from "./match-flow-schema.ts";

const level = (name: string): JsonObject => ({ metadata: { name, uid: `level ${name}` } });
const schema = (
  name: string,
  matchingPrecedence: number,
  level: string,
  rule: JsonObject,
): JsonObject => ({
  metadata: { name, uid: `schema ${name}` },
  spec: { matchingPrecedence, priorityLevelConfiguration: { name: level }, rules: [rule] },
});
const everything = {
  resourceRules: [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true },
  ],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const group = (name: string): JsonObject => ({ kind: "Group", group: { name } });

const match = createFlowMatcher(
  [
    schema("rest", 9000, "low", { subjects: [group("*")], ...everything }),
    schema("broken", 1, "gone", { subjects: [group("*")], ...everything }),
    schema("robots", 20, "high", {
      subjects: [{ kind: "ServiceAccount", serviceAccount: { namespace: "home", name: "*" } }],
      resourceRules: [
        {
          verbs: ["get", "list"],
          apiGroups: [""],
          resources: ["pods", "pods/status"],
          namespaces: ["home"],
        },
      ],
    }),
    schema("probes", 10, "high", {
      subjects: [group("dev")],
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/logs/*"] }],
    }),
  ],
  [level("low"), level("high")],
);

const flowOf = (
  name: string,
  groups: readonly string[],
  method: string,
  path: string,
): string | undefined =>
  match({ name, groups: [...groups] }, readRequestInfo(method, path, new Query("")))?.[
    "x-kubernetes-pf-flowschema-uid"
  ];

test("the first schema in precedence that fits gives the flow; without its level it does not count", () => {
  assert.equal(flowOf("ann", [], "GET", "/api/v1/pods"), "schema rest");
  assert.equal(
    flowOf("system:serviceaccount:home:bot", [], "GET", "/api/v1/namespaces/home/pods/a/status"),
    "schema robots",
  );
  assert.equal(
    flowOf("system:serviceaccount:home:bot", [], "DELETE", "/api/v1/namespaces/home/pods/a"),
    "schema rest",
  );
  assert.equal(flowOf("system:serviceaccount:home:bot", [], "GET", "/api/v1/pods"), "schema rest");
  assert.equal(
    flowOf("system:serviceaccount:homely:bot", [], "GET", "/api/v1/namespaces/home/pods"),
    "schema rest",
  );
});

test("paths are matched whole or below", () => {
  for (const path of ["/healthz", "/healthz/ping", "/logs/a"])
    assert.equal(flowOf("ann", ["dev"], "GET", path), "schema probes");
  assert.equal(flowOf("ann", ["dev"], "GET", "/healthzz"), "schema rest");
});

test("long-running requests have no flow", () =>
  assert.equal(flowOf("ann", [], "GET", "/api/v1/namespaces/home/pods/a/log"), undefined));
