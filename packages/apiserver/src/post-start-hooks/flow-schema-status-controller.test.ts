import assert from "node:assert/strict";
import { test } from "node:test";
import { settle, start } from "../server/testdata/hooked-server.ts";

const flowcontrol = "/apis/flowcontrol.apiserver.k8s.io/v1";
const apiVersion = "flowcontrol.apiserver.k8s.io/v1";
const subject = 'This FlowSchema references the PriorityLevelConfiguration object named "slow"';

test("a FlowSchema dangles while its priority level is missing", async () => {
  const { ask, runtime } = await start();
  const read = async (): Promise<any> => {
    // The worker rests now and then.
    await runtime.advance(100);
    await settle();
    return await ask("GET", `${flowcontrol}/flowschemas/mine`);
  };
  await ask("POST", `${flowcontrol}/flowschemas`, {
    apiVersion,
    kind: "FlowSchema",
    metadata: { name: "mine" },
    spec: { priorityLevelConfiguration: { name: "slow" } },
  });
  const dangling = {
    type: "Dangling",
    status: "True",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    reason: "NotFound",
    message: `${subject} but there is no such object`,
  };
  assert.deepEqual((await read()).status.conditions, [dangling]);
  await runtime.advance(5_000);
  await ask("POST", `${flowcontrol}/prioritylevelconfigurations`, {
    apiVersion,
    kind: "PriorityLevelConfiguration",
    metadata: { name: "slow" },
    spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } },
  });
  const { metadata, status } = await read();
  const found = {
    type: "Dangling",
    status: "False",
    lastTransitionTime: "2026-01-01T00:00:05Z",
    reason: "Found",
    message: `${subject} and it exists`,
  };
  assert.deepEqual(status.conditions, [found]);
  assert.deepEqual(
    metadata.managedFields.map((entry: any) => [entry.manager, entry.operation, entry.subresource]),
    [
      ["api-priority-and-fairness-config-consumer-v1", "Apply", "status"],
      ["unknown", "Update", undefined],
    ],
  );
  await ask("DELETE", `${flowcontrol}/prioritylevelconfigurations/slow`);
  assert.equal((await read()).status.conditions[0].status, "True");
});
