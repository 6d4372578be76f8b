import assert from "node:assert/strict";
import { test } from "node:test";
import { compareKubeVersions } from "./kube-version-order.ts";

test("GA before beta before alpha, newest first, the rest by name", () => {
  const ordered = [
    "v10",
    "v2",
    "v1",
    "v0",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
  ];
  assert.deepEqual(ordered.toReversed().toSorted(compareKubeVersions), ordered);
});
