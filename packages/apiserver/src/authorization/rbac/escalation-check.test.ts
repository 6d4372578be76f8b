import assert from "node:assert/strict";
import { test } from "node:test";
import { isApiStatusError, type JsonObject } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { createEscalationCheck } from "./escalation-check.ts";
import { PolicyIndex } from "./policy-index.ts";
import { createRbacAuthorizer } from "./rbac-authorizer.ts";

const group = "rbac.authorization.k8s.io";
const jobs = { verbs: ["*"], apiGroups: ["batch"], resources: ["jobs"] };
const secrets = { verbs: ["get", "list"], apiGroups: [""], resources: ["secrets"] };

/** `ann` of group `devs` holds everything on jobs, in every namespace. */
function open(...rules: readonly JsonObject[]) {
  const index = new PolicyIndex();
  index.setRole("", "own", { rules: [jobs, ...rules] as never });
  index.setRole("", "secrets", { rules: [secrets] });
  index.setBinding("", "own", {
    roleRef: { apiGroup: group, kind: "ClusterRole", name: "own" },
    subjects: [{ kind: "User", name: "ann" }],
  });
  const { authorize } = createRbacAuthorizer(() => index);
  const check = createEscalationCheck({ authorize, index: () => index });
  /** The message of the refusal; undefined when the write may go on. */
  return async (
    resource: string,
    object: JsonObject,
    more: Partial<AdmissionRequest> = {},
  ): Promise<string | undefined> => {
    const request: AdmissionRequest = {
      operation: "CREATE",
      resource: { group, resource } as ServedResource,
      subresource: "",
      kind: { group, version: "v1", kind: "" },
      namespace: resource.startsWith("cluster") ? "" : "home",
      name: "",
      requestName: "",
      object: { metadata: { name: "new" }, ...object },
      old: undefined,
      user: { name: "ann", groups: ["devs", "all"] },
      dryRun: false,
      options: {},
      warn() {},
      ...more,
    };
    try {
      await check(request);
      return undefined;
    } catch (error) {
      if (isApiStatusError(error)) return error.message;
      throw error;
    }
  };
}

const refused = (resource: string, ...rights: readonly string[]): string =>
  `${resource}.${group} "new" is forbidden: user "ann" (groups=["devs" "all"]) is attempting to grant RBAC permissions not currently held:\n${rights.join("\n")}`;
const noSecrets = '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}';

test("a role grants no more than its author holds", async () => {
  const check = open();
  assert.equal(await check("roles", { rules: [{ ...jobs, verbs: ["get", "delete"] }] }), undefined);
  assert.equal(await check("roles", { rules: [secrets] }), refused("roles", noSecrets));
  assert.equal(
    await check("clusterroles", {
      rules: [
        { ...jobs, resources: ["jobs", "cronjobs"], verbs: ["get"] },
        { verbs: ["get"], nonResourceURLs: ["/metrics"] },
        { ...secrets, resourceNames: ["a"], verbs: ["get"] },
      ],
    }),
    refused(
      "clusterroles",
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:["batch"], Resources:["cronjobs"], Verbs:["get"]}',
      '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    ),
  );
});

test("rights on named objects cover these names alone", async () => {
  const check = open({ ...secrets, resourceNames: ["a", "b"] });
  assert.equal(await check("roles", { rules: [{ ...secrets, resourceNames: ["a"] }] }), undefined);
  assert.equal(await check("roles", { rules: [secrets] }), refused("roles", noSecrets));
  assert.equal(
    await check("roles", { rules: [{ ...secrets, verbs: ["get"], resourceNames: ["a", "c"] }] }),
    refused("roles", '{APIGroups:[""], Resources:["secrets"], ResourceNames:["c"], Verbs:["get"]}'),
  );
});

test("who may escalate a role may grant anything; a create has no name to hold it by", async () => {
  const rule = { verbs: ["escalate"], apiGroups: [group], resources: ["roles"] };
  const check = open(rule);
  assert.equal(await check("roles", { rules: [secrets] }), undefined);
  assert.equal(
    await check("clusterroles", { rules: [secrets] }),
    refused("clusterroles", noSecrets),
  );
  const byName = open({ ...rule, resourceNames: ["new"] });
  assert.equal(await byName("roles", { rules: [secrets] }), refused("roles", noSecrets));
  assert.equal(await byName("roles", { rules: [secrets] }, { requestName: "new" }), undefined);
});

test("aggregation needs all rights", async () => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
  const message = `clusterroles.${group} "new" is forbidden: must have cluster-admin privileges to use the aggregationRule`;
  assert.equal(await open()("clusterroles", { aggregationRule }), message);
  assert.equal(
    await open()(
      "clusterroles",
      {},
      { operation: "UPDATE", old: { metadata: { name: "new" }, aggregationRule } },
    ),
    message,
  );
  const everything = [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ];
  assert.equal(await open(...everything)("clusterroles", { aggregationRule }), undefined);
});

test("a binding needs the right to bind, or all rights of the role", async () => {
  const roleRef = { apiGroup: group, kind: "ClusterRole", name: "secrets" };
  const bind = { verbs: ["bind"], apiGroups: [group], resources: ["clusterroles"] };
  assert.equal(await open()("rolebindings", { roleRef }), refused("rolebindings", noSecrets));
  assert.equal(await open(secrets)("rolebindings", { roleRef }), undefined);
  assert.equal(
    await open({ ...bind, resourceNames: ["secrets"] })("rolebindings", { roleRef }),
    undefined,
  );
  const gone = { ...roleRef, name: "gone" };
  assert.equal(
    await open()("clusterrolebindings", { roleRef: gone }),
    `clusterrolebindings.${group} "gone" not found`,
  );
  assert.equal(await open(bind)("clusterrolebindings", { roleRef: gone }), undefined);
  assert.equal(
    await open()("rolebindings", { roleRef: { ...roleRef, kind: "Role", name: "" } }),
    "Name parameter required.",
  );
});

test("system:masters, and changes of owners and finalizers alone, are not checked", async () => {
  const check = open();
  const user = { name: "root", groups: ["system:masters"] };
  assert.equal(await check("roles", { rules: [secrets] }, { user }), undefined);
  const old = { metadata: { name: "new", uid: "1" }, rules: [secrets] };
  const update = (metadata: JsonObject): Promise<string | undefined> =>
    check(
      "roles",
      { ...old, metadata: { ...old.metadata, ...metadata } },
      { operation: "UPDATE", old },
    );
  assert.equal(await update({ finalizers: ["a/b"], ownerReferences: [] }), undefined);
  assert.equal(await update({ labels: { a: "b" } }), refused("roles", noSecrets));
});
