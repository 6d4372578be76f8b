import assert from "node:assert/strict";
import { test } from "node:test";
import type { CoreServices } from "../scope/core-services.ts";
import { internalKindFault } from "./claimed-kind.ts";

test("a kind without an apiVersion is looked for among the internal types of the group", () => {
  const goTypeOf = ({ kind }: { readonly kind: string }): string | undefined =>
    ["Deployment", "ReplicaSet", "DeleteOptions", "Status"].includes(kind)
      ? `v1.${kind}`
      : undefined;
  const core = { kinds: { goTypeOf } } as unknown as CoreServices;
  const fault = (kind: string): string | undefined =>
    internalKindFault(core, kind, { group: "apps", version: "v1", kind: "Deployment" });
  assert.equal(fault("Deployment"), undefined);
  assert.equal(
    fault("ReplicaSet"),
    "converting (apps.ReplicaSet) to (apps.Deployment): unknown conversion",
  );
  assert.equal(fault("Status"), "converting (v1.Status) to (apps.Deployment): unknown conversion");
  assert.match(fault("DeleteOptions")!, /is registered for the internal version of group "apps"/);
  assert.equal(
    fault("X"),
    'no kind "X" is registered for the internal version of group "apps" in scheme "pkg/runtime/scheme.go:111"',
  );
});
