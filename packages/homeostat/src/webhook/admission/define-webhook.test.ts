import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defineMutatingWebhook, defineValidatingWebhook } from "./define-webhook.ts";
import { Order } from "./review.suite.ts";

describe("a definition", () => {
  test("has kubebuilder's path and a name of the kind", () => {
    const webhook = defineMutatingWebhook(Order, { mutate() {} });
    assert.equal(webhook.path, "/mutate-kitchen-example-com-v1-order");
    assert.equal(webhook.name, "mutate.orders.v1.kitchen.example.com");
    const Pod = { apiVersion: "v1", kind: "Pod", resource: "pods", scope: "Namespaced" } as const;
    const pods = defineValidatingWebhook({ ...Pod, "~types": {} as never }, { create() {} });
    assert.deepEqual([pods.path, pods.name], ["/validate--v1-pod", "validate.pods.v1.core"]);
    const own = defineMutatingWebhook(Order, { mutate() {}, path: "/own", name: "a.b.example" });
    assert.deepEqual([own.path, own.name], ["/own", "a.b.example"]);
  });

  test("that no API server would accept is refused with every problem", () => {
    const wrong = (options: unknown): string => {
      try {
        defineValidatingWebhook(Order, options as never);
        return "";
      } catch (error) {
        return String(error);
      }
    };
    assert.match(
      wrong({}),
      /ERR_WEBHOOK_DEFINITION.*it has no function; expected create, update, delete, connect/,
    );
    const all = wrong({
      create: 1,
      timeoutSeconds: 31,
      failurePolicy: "Never",
      name: "short",
      path: "no slash",
      resources: ["orders/status/x"],
      sideEffect: "None",
      permissions: [{ kind: Order, verbs: ["read"] }],
    });
    for (const part of [
      /create is 1/,
      /timeoutSeconds is 31/,
      /failurePolicy is 'Never'/,
      /name is 'short'/,
      /path is 'no slash'/,
      /resources is/,
      /sideEffect: unknown option/,
      /permissions\[0\]\.verbs has 'read'/,
    ])
      assert.match(all, part);
    assert.match(wrong(undefined), /its options are nothing/);
    for (const timeoutSeconds of [0, 1.5, 31])
      assert.match(wrong({ create() {}, timeoutSeconds }), /1 to 30/);
    for (const timeoutSeconds of [1, 30]) assert.equal(wrong({ create() {}, timeoutSeconds }), "");
    assert.match(wrong({ create() {}, resources: ["orders", "orders/status/x"] }), /resources is/);
    assert.match(wrong({ create() {}, resources: [] }), /resources is/);
    assert.match(wrong({ create() {}, reinvocationPolicy: "Never" }), /unknown option/);
    const mutating = (options: object) => () =>
      void defineMutatingWebhook(Order, { mutate() {}, ...options });
    assert.throws(mutating({ operations: ["CREATE", "DELETE"] }), /operations is/);
    assert.throws(mutating({ reinvocationPolicy: "Always" }), /expected Never or IfNeeded/);
    assert.throws(mutating({ sideEffects: "Some" }), /expected None or NoneOnDryRun/);
    assert.throws(mutating({ matchPolicy: "Some" }), /expected Equivalent or Exact/);
    mutating({ operations: ["CREATE", "UPDATE", "CONNECT"], reinvocationPolicy: "IfNeeded" })();
    mutating({ sideEffects: "NoneOnDryRun", matchPolicy: "Exact", failurePolicy: "Ignore" })();
  });
});
