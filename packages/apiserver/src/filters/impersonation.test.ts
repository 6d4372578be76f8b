import assert from "node:assert/strict";
import { test } from "node:test";
import { isApiStatusError } from "homeostat/api";
import type { Authorizer, RequestedAction } from "../apimachinery/authorizer.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";
import { openRequest } from "../registry/request/server-request.ts";
import { createImpersonation } from "./impersonation.ts";

const caller: UserInfo = { name: "ann", groups: ["system:authenticated"] };

/** `verb resource[/subresource] name`, with the namespace and the group if it has them. */
const textOf = (info: RequestedAction): string => {
  if (!info.isResource) return `${info.verb} ${info.path}`;
  const resource = [info.resource, info.subresource].filter(Boolean).join("/");
  const resourceOfGroup = info.group ? `${resource}.${info.group}` : resource;
  const parts = [info.verb, resourceOfGroup, info.name, info.namespace && `in ${info.namespace}`];
  return parts.filter(Boolean).join(" ");
};

/** Impersonates on a list of pods; `mayDo` are the rights of the caller. */
function open(mayDo: readonly (string | RegExp)[], user: UserInfo = caller) {
  const asked: string[] = [];
  const authorizer: Authorizer = ({ info }) => {
    const text = textOf(info);
    asked.push(text);
    const allowed = mayDo.some((right) =>
      typeof right === "string" ? right === text : right.test(text),
    );
    return { allowed, reason: "" };
  };
  const impersonate = createImpersonation(authorizer);
  return {
    asked,
    /** The user that the request continues as, or the message of the refusal. */
    as(headers: Readonly<Record<string, string>>): UserInfo | string {
      const path = "/api/v1/namespaces/home/pods";
      const request = openRequest({ method: "GET", path, headers, body: new Uint8Array() }, 0);
      request.user = user;
      try {
        impersonate(request);
        return request.user;
      } catch (error) {
        if (isApiStatusError(error)) return error.message;
        throw error;
      }
    },
  };
}

const max = { "impersonate-user": "max" };

test("without headers the caller stays, and nothing is asked", () => {
  const { as, asked } = open([]);
  assert.equal(as({ accept: "x" }), caller);
  assert.deepEqual(asked, []);
});

test("the right to impersonate may be limited to what is requested", () => {
  const user = { name: "max", groups: ["system:authenticated"] };
  const rights = ["impersonate:user-info users.authentication.k8s.io max"];
  const refused = 'User "ann" cannot impersonate-on:user-info:list resource "pods"';
  assert.equal(
    open(rights).as(max),
    `pods is forbidden: ${refused} in API group "" in the namespace "home"`,
  );
  const { as, asked } = open([...rights, "impersonate-on:user-info:list pods in home"]);
  assert.deepEqual(as(max), user);
  assert.deepEqual(asked, [
    "impersonate-on:user-info:list pods in home",
    "impersonate:user-info users.authentication.k8s.io max",
  ]);
});

test("the mode that a caller used last comes first, and its refusal counts", () => {
  const { as, asked } = open(["impersonate users max"]);
  assert.deepEqual(as(max), { name: "max", groups: ["system:authenticated"] });
  asked.length = 0;
  assert.equal(
    as({ ...max, "impersonate-group": "devs" }),
    'groups "devs" is forbidden: User "ann" cannot impersonate resource "groups" in API group "" at the cluster scope',
  );
  assert.deepEqual(asked, [
    "impersonate users max",
    "impersonate groups devs",
    "impersonate-on:user-info:list pods in home",
  ]);
});

test("the first of several users and uids counts", () => {
  const { as } = open([/^impersonate/]);
  const { name, uid } = as({
    "impersonate-user": "max\neve",
    "impersonate-uid": "7\n8",
  }) as UserInfo;
  assert.deepEqual([name, uid], ["max", "7"]);
});

test("every value needs a right; many groups or extra values may have one together", () => {
  const headers = {
    ...max,
    "impersonate-uid": "7",
    "impersonate-group": "a\nb",
    "impersonate-extra-example.com%2fscope": "x\ny",
  };
  const { as, asked } = open([/^impersonate/]);
  assert.deepEqual(as(headers), {
    name: "max",
    groups: ["a", "b", "system:authenticated"],
    uid: "7",
    extra: { "example.com/scope": ["x", "y"] },
  });
  const group = "authentication.k8s.io";
  assert.deepEqual(asked.slice(2), [
    `impersonate:user-info uids.${group} 7`,
    `impersonate:user-info groups.${group} a`,
    `impersonate:user-info groups.${group} b`,
    `impersonate:user-info userextras/example.com/scope.${group} x`,
    `impersonate:user-info userextras/example.com/scope.${group} y`,
  ]);
  const many = open([/^impersonate/]);
  many.as({ ...max, "impersonate-group": "a\nb\nc\nd" });
  assert.deepEqual(many.asked.slice(2), [`impersonate:user-info groups.${group} *`]);
});

test("system:masters and odd extra keys need the verb impersonate", () => {
  const constrained = [/^impersonate(?:-on)?:/];
  const masters = { ...max, "impersonate-group": "system:masters" };
  assert.match(String(open(constrained).as(masters)), /impersonating the system:masters group/);
  assert.equal((open([/^impersonate/]).as(masters) as UserInfo).groups[0], "system:masters");
  assert.match(
    String(open(constrained).as({ ...max, "impersonate-extra-scope": "x" })),
    /impersonating an invalid key in extra is not allowed: extra\.key: Invalid value: "scope": must be a domain-prefixed path/,
  );
});

test("accounts and nodes have modes and groups of their own", () => {
  const account = { "impersonate-user": "system:serviceaccount:ci:bot" };
  const { as, asked } = open([/^impersonate(?:-on)?:serviceaccount/]);
  assert.deepEqual(as(account), {
    name: "system:serviceaccount:ci:bot",
    groups: ["system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"],
  });
  assert.equal(
    asked[1],
    "impersonate:serviceaccount serviceaccounts.authentication.k8s.io bot in ci",
  );
  const node = { "impersonate-user": "system:node:n1" };
  assert.deepEqual(open([/^impersonate(?:-on)?:arbitrary-node/]).as(node), {
    name: "system:node:n1",
    groups: ["system:nodes", "system:authenticated"],
  });
  const agent: UserInfo = {
    name: "system:serviceaccount:kube-system:agent",
    groups: [],
    extra: { "authentication.kubernetes.io/node-name": ["n1"] },
  };
  const own = open([/^impersonate(?:-on)?:associated-node/], agent);
  assert.equal((own.as(node) as UserInfo).name, "system:node:n1");
  assert.equal(own.asked[1], "impersonate:associated-node nodes.authentication.k8s.io *");
  assert.equal(
    typeof own.as({ "impersonate-user": "system:node:n2" }),
    "string",
    "another node is refused",
  );
  assert.deepEqual(open([/./]).as({ "impersonate-user": "system:anonymous" }), {
    name: "system:anonymous",
    groups: ["system:unauthenticated"],
  });
});
