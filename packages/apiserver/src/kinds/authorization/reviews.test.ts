import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { AuthorizerAttributes } from "../../apimachinery/authorizer.ts";
import type { UserInfo } from "../../apimachinery/user-info.ts";
import type { AnyKindDefinition } from "../definition/kind-definition.ts";
import { printInternal as print } from "../printers/print-internal.suite.ts";
import { selfSubjectReview, tokenReview } from "../authentication/reviews.ts";
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from "./reviews.ts";

const caller = {
  user: { name: "ann", groups: ["devs"] },
  namespace: "n",
  now: "2026-01-01T00:00:00Z",
  reviewToken: () => ({ error: "invalid bearer token" }),
  authorize: ({ user, info }: AuthorizerAttributes) => {
    const asked = [info.verb, info.group, info.resource, info.name, info.path].filter(Boolean);
    return { allowed: user.name === "ann", reason: `${user.name} ${asked.join(" ")}` };
  },
  rulesFor: (_user: UserInfo, namespace: string) => ({
    resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: [namespace] }],
    nonResourceRules: [],
    incomplete: true,
    evaluationError: "one is missing",
  }),
};
const said = (ask: () => unknown): string => {
  try {
    ask();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

test("a SelfSubjectReview returns the attributes of its user", () => {
  assert.deepEqual(selfSubjectReview.review!({}, caller, print), {
    apiVersion: "authentication.k8s.io/v1",
    kind: "SelfSubjectReview",
    metadata: { creationTimestamp: caller.now },
    status: { userInfo: { username: "ann", groups: ["devs"] } },
  });
});

test("a review names a resource or a path, and a user or group", () => {
  assert.match(
    said(() => selfSubjectAccessReview.review!({ spec: {} }, caller, print)),
    /^\.authorization\.k8s\.io "" is invalid: spec\.resourceAttributes: Invalid value: null: exactly one of/,
  );
  assert.match(
    said(() => subjectAccessReview.review!({ spec: { resourceAttributes: {} } }, caller, print)),
    /spec\.user: Invalid value: "": at least one of user or group must be specified$/,
  );
  assert.match(
    said(() =>
      localSubjectAccessReview.review!(
        {
          metadata: { namespace: "n" },
          spec: { user: "u", resourceAttributes: { namespace: "m" } },
        },
        caller,
        print,
      ),
    ),
    /spec\.resourceAttributes\.namespace: Invalid value: "m": must match metadata\.namespace$/,
  );
});

test("a review has no metadata; the refusal shows it in upstream's order", () => {
  const metadata = { labels: { b: "c" }, generateName: "a-" };
  const spec = { nonResourceAttributes: { path: "/", verb: "get" } };
  assert.match(
    said(() => selfSubjectAccessReview.review!({ metadata, spec }, caller, print)),
    /metadata: Invalid value: \{"generateName":"a-","labels":\{"b":"c"\}\}: must be empty$/,
  );
});

test("a token review requires a token, and returns its user or an error", () => {
  assert.equal(
    said(() => tokenReview.review!({ spec: {} }, caller, print)),
    "token is required for TokenReview in authentication",
  );
  assert.deepEqual(tokenReview.review!({ spec: { token: "t" } }, caller, print), {
    spec: { token: "t" },
    status: { user: {}, error: "invalid bearer token" },
  });
  const known = {
    ...caller,
    reviewToken: (token: string, audiences: readonly string[]) => ({
      user: { name: token, groups: ["g"] },
      audiences,
    }),
  };
  assert.deepEqual(tokenReview.review!({ spec: { token: "t", audiences: ["a"] } }, known, print), {
    spec: { token: "t", audiences: ["a"] },
    status: { authenticated: true, user: { username: "t", groups: ["g"] }, audiences: ["a"] },
  });
});

const statusOf = (kind: AnyKindDefinition, spec: JsonObject): unknown =>
  (kind.review!({ spec }, caller, print) as JsonObject)["status"];

test("a review answers with the decision and the reason of the authorizer", () => {
  const resourceAttributes = { verb: "get", group: "batch", resource: "jobs", name: "a" };
  assert.deepEqual(statusOf(selfSubjectAccessReview, { resourceAttributes }), {
    allowed: true,
    reason: "ann get batch jobs a",
  });
  assert.deepEqual(statusOf(subjectAccessReview, { user: "bob", resourceAttributes }), {
    allowed: false,
    reason: "bob get batch jobs a",
  });
  const nonResourceAttributes = { verb: "get", path: "/metrics" };
  assert.deepEqual(statusOf(subjectAccessReview, { user: "bob", nonResourceAttributes }), {
    allowed: false,
    reason: "bob get /metrics",
  });
});

test("a selector that cannot be read is an evaluation error, and the review is answered", () => {
  const about = (fields: JsonObject): unknown =>
    statusOf(selfSubjectAccessReview, { resourceAttributes: { verb: "list", ...fields } });
  const ignored = (name: string): string =>
    `spec.resourceAttributes.${name} ignored due to parse error`;
  assert.deepEqual(about({ labelSelector: { rawSelector: "a in (" } }), {
    allowed: true,
    reason: "ann list",
    evaluationError: ignored("labelSelector"),
  });
  const several = { key: "a", operator: "In", values: ["1", "2"] };
  const known = { key: "b", operator: "NotIn", values: ["1"] };
  assert.deepEqual(
    about({
      fieldSelector: { requirements: [several, known] },
      labelSelector: { requirements: [{ key: "a", operator: "Like" }] },
    }),
    {
      allowed: true,
      reason: "ann list",
      evaluationError: `spec.resourceAttributes.fieldSelector partially ignored due to parse error; ${ignored("labelSelector")}`,
    },
  );
  assert.deepEqual(about({ labelSelector: { requirements: [{ key: "a", operator: "Exists" }] } }), {
    allowed: true,
    reason: "ann list",
  });
});

test("selectors are text or requirements", () => {
  const refused = (fields: JsonObject): string =>
    said(() =>
      selfSubjectAccessReview.review!({ spec: { resourceAttributes: fields } }, caller, print),
    ).replace('.authorization.k8s.io "" is invalid: spec.resourceAttributes.', "");
  assert.equal(
    refused({ fieldSelector: {} }),
    "fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required",
  );
  const requirements = [{ key: "a", operator: "Exists" }];
  assert.equal(
    refused({ labelSelector: { rawSelector: "a", requirements } }),
    'labelSelector.rawSelector: Invalid value: "a": may not specified at the same time as requirements',
  );
  assert.equal(
    refused({ fieldSelector: { requirements: [{ key: "", operator: "In", values: ["a"] }] } }),
    "fieldSelector.requirements[0].key: Required value: must be specified",
  );
  assert.equal(
    refused({ labelSelector: { requirements: [{ key: "a", operator: "In" }] } }),
    "labelSelector.requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
  );
});

test("a rules review lists the rules of its user in a namespace", () => {
  const review = selfSubjectRulesReview.review!({ spec: { namespace: "n" } }, caller, print);
  assert.deepEqual((review as JsonObject)["status"], {
    resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["n"] }],
    nonResourceRules: [],
    incomplete: true,
    evaluationError: "one is missing",
  });
  assert.equal(
    said(() => selfSubjectRulesReview.review!({ spec: {} }, caller, print)),
    "no namespace on request",
  );
});
