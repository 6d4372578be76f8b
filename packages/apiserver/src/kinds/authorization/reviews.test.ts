import assert from "node:assert/strict";
import { test } from "node:test";
import { printInternal as print } from "../printers/print-internal.suite.ts";
import { selfSubjectReview, tokenReview } from "../authentication/reviews.ts";
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  subjectAccessReview,
} from "./reviews.ts";

const caller = {
  user: { name: "ann", groups: ["devs"] },
  namespace: "n",
  now: "2026-01-01T00:00:00Z",
  reviewToken: () => ({ error: "invalid bearer token" }),
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
