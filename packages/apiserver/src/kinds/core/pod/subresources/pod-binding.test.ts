import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { ConnectTools } from "../../../../apimachinery/rest/connecter.ts";
import { at, context, create, plain, pods, untouched } from "../pod.suite.ts";

test("a binding assigns a node to a pod that has none", async () => {
  const binding = pods.subresources.get("binding")!;
  assert.ok(binding.at === "connect");
  const { pod } = create(plain);
  const tools: ConnectTools = { ...untouched, overwrite: async (edit) => edit(pod) };
  const body = { metadata: { name: "p" }, target: { name: "node-1" } };
  assert.equal((await binding.handle(pod, body, context(), tools)).status, 201);
  assert.deepEqual(
    [at(pod, "spec")["nodeName"], at(pod, "status", "conditions", 0)["type"]],
    ["node-1", "PodScheduled"],
  );
  await assert.rejects(
    binding.handle(pod, body, context(), tools),
    /pods\/binding "p": pod p is already assigned to node "node-1"/,
  );
  const check = (sent: JsonObject): void =>
    binding.precheck!(sent, { name: "p", namespace: "ns", dryRun: false });
  assert.throws(() => check({ ...body, target: {} }), /^.*target.name: Required value$/);
  assert.throws(
    () => check({ ...body, metadata: { name: "q" } }),
    /name in URL does not match name in Binding object/,
  );
});
