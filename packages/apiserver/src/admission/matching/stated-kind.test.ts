import assert from "node:assert/strict";
import { test } from "node:test";
import { otherKindFault } from "./stated-kind.ts";

test("a fault of conversion names the package of the internal type", () => {
  const secret = { group: "", version: "v1", kind: "Secret" };
  for (const [group, kind, type] of [
    ["", "Pod", "core.Pod"],
    ["rbac.authorization.k8s.io", "Role", "rbac.Role"],
    ["events.k8s.io", "Event", "core.Event"],
  ] as const)
    assert.equal(
      otherKindFault(secret, { group, version: "v1", kind }),
      `converting (v1.Secret) to (${type}): unknown conversion`,
    );
});
