import assert from "node:assert/strict";
import { test } from "node:test";
import { pathAction, type RequestedAction, resourceAction } from "../../apimachinery/authorizer.ts";
import type { UserInfo } from "../../apimachinery/user-info.ts";
import { PolicyIndex } from "./policy-index.ts";
import { createRbacAuthorizer } from "./rbac-authorizer.ts";

const ann: UserInfo = { name: "ann", groups: ["devs", "system:authenticated"] };
const read = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods", "*/status"] };

function open() {
  const index = new PolicyIndex();
  const { authorize, rulesFor } = createRbacAuthorizer(() => index);
  const ask = (user: UserInfo, info: RequestedAction): string => {
    const { allowed, reason } = authorize({ user, info });
    return `${allowed ? "yes" : "no"}${reason ? ` ${reason}` : ""}`;
  };
  return { index, ask, rulesFor };
}

const pods = (verb: string, fields: Partial<RequestedAction> = {}): RequestedAction =>
  resourceAction({ verb, resource: "pods", namespace: "home", ...fields });

test("a binding grants the rules of its role in its namespace, and says so", () => {
  const { index, ask } = open();
  index.setRole("home", "read", { rules: [read] });
  index.setBinding("home", "readers", {
    roleRef: { apiGroup: "", kind: "Role", name: "read" },
    subjects: [
      { kind: "User", name: "bob" },
      { kind: "Group", name: "devs" },
    ],
  });
  const allowed = 'yes RBAC: allowed by RoleBinding "readers/home" of Role "read" to Group "devs"';
  assert.equal(ask(ann, pods("get")), allowed);
  assert.equal(ask(ann, pods("get", { resource: "services", subresource: "status" })), allowed);
  for (const refused of [
    pods("delete"),
    pods("get", { group: "apps" }),
    pods("get", { subresource: "log" }),
    pods("get", { resource: "services" }),
    pods("get", { namespace: "away" }),
    pods("get", { namespace: "" }),
  ])
    assert.equal(ask(ann, refused), "no");
  index.deleteBinding("home", "readers");
  assert.equal(ask(ann, pods("get")), "no");
});

test("cluster-wide bindings come first, and all bindings by name", () => {
  const { index, ask } = open();
  const roleRef = { apiGroup: "", kind: "ClusterRole", name: "read" };
  index.setRole("", "read", { rules: [read] });
  const subjects = [{ kind: "User", name: "ann" }];
  index.setBinding("home", "a", { roleRef, subjects });
  assert.match(ask(ann, pods("get")), /RoleBinding "a\/home" of ClusterRole "read" to User "ann"$/);
  index.setBinding("", "z", { roleRef, subjects });
  index.setBinding("", "y", { roleRef, subjects: [{ kind: "Group", name: "devs" }] });
  assert.match(ask(ann, pods("get")), /by ClusterRoleBinding "y" of .* to Group "devs"$/);
});

test("a service account is a user; its namespace is that of the binding unless named", () => {
  const { index, ask } = open();
  index.setRole("home", "read", { rules: [read] });
  const roleRef = { apiGroup: "", kind: "Role", name: "read" };
  index.setBinding("home", "ci", { roleRef, subjects: [{ kind: "ServiceAccount", name: "ci" }] });
  const account = (namespace: string): UserInfo => ({
    name: `system:serviceaccount:${namespace}:ci`,
    groups: [],
  });
  assert.match(ask(account("home"), pods("get")), /to ServiceAccount "ci\/home"$/);
  assert.equal(ask(account("away"), pods("get")), "no");
  index.setBinding("home", "ci", {
    roleRef,
    subjects: [{ kind: "ServiceAccount", name: "ci", namespace: "away" }],
  });
  assert.equal(ask(account("home"), pods("get")), "no");
  assert.match(ask(account("away"), pods("get")), /to ServiceAccount "ci\/away"$/);
});

test("names and wildcards of a rule", () => {
  const { index, ask } = open();
  index.setRole("", "odd", {
    rules: [
      { verbs: ["update"], apiGroups: ["*"], resources: ["*"], resourceNames: ["leader"] },
      { verbs: ["*"], nonResourceURLs: ["/logs/*", "/metrics"] },
    ],
  });
  index.setBinding("", "odd", {
    roleRef: { apiGroup: "", kind: "ClusterRole", name: "odd" },
    subjects: [{ kind: "User", name: "ann" }],
  });
  const isAllowed = (info: RequestedAction): boolean => ask(ann, info).startsWith("yes");
  assert.ok(isAllowed(pods("update", { group: "apps", name: "leader", subresource: "scale" })));
  assert.ok(!isAllowed(pods("update", { name: "other" })));
  assert.ok(!isAllowed(pods("update")));
  assert.ok(isAllowed(pathAction("post", "/logs/a/b")));
  assert.ok(isAllowed(pathAction("get", "/metrics")));
  assert.ok(!isAllowed(pathAction("get", "/metrics/")));
  assert.ok(!isAllowed(pathAction("get", "/logs")));
});

test("roles that do not exist are named in a refusal, and hinder no other", () => {
  const { index, ask, rulesFor } = open();
  const subjects = [{ kind: "User", name: "ann" }];
  const bind = (namespace: string, kind: string, name: string): void =>
    index.setBinding(namespace, name, { roleRef: { apiGroup: "", kind, name }, subjects });
  bind("", "ClusterRole", "gone");
  const gone = 'clusterrole.rbac.authorization.k8s.io "gone" not found';
  assert.equal(ask(ann, pods("get")), `no RBAC: ${gone}`);
  bind("home", "Role", "lost");
  const both = `[${gone}, role.rbac.authorization.k8s.io "lost" not found]`;
  assert.equal(ask(ann, pods("get")), `no RBAC: ${both}`);
  index.setRole("home", "lost", { rules: [read] });
  assert.match(ask(ann, pods("get")), /^yes/);
  assert.deepEqual(rulesFor(ann, "home"), {
    resourceRules: [read],
    nonResourceRules: [],
    incomplete: false,
    evaluationError: gone,
  });
});

test("a new binding, a changed one and a deleted one count at once", () => {
  const { index, ask } = open();
  const roleRef = { apiGroup: "", kind: "ClusterRole", name: "read" };
  index.setRole("", "read", { rules: [read] });
  const bind = (name: string, user: string): void =>
    index.setBinding("home", name, { roleRef, subjects: [{ kind: "User", name: user }] });
  bind("a", "bob");
  assert.equal(ask(ann, pods("get")), "no");
  bind("b", "ann");
  assert.match(ask(ann, pods("get")), /^yes/);
  bind("b", "bob");
  assert.equal(ask(ann, pods("get")), "no");
  bind("b", "ann");
  assert.match(ask(ann, pods("get")), /^yes/);
  index.deleteBinding("home", "b");
  assert.equal(ask(ann, pods("get")), "no");
});
