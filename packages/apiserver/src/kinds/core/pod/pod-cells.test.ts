import { agesAt } from "../../../apimachinery/rest/table-printer.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { pods } from "./pod.suite.ts";

test("a row has the reason for the pod's state", () => {
  const cells = (status: object, metadata: object = {}): unknown[] =>
    pods.table
      .cells(
        {
          metadata: { name: "p", ...metadata },
          spec: { containers: [{}, {}], initContainers: [{ name: "i" }] },
          status,
        } as unknown as JsonObject,
        agesAt(0),
      )
      .slice(1, 4);
  assert.deepEqual(
    cells({
      phase: "Pending",
      initContainerStatuses: [{ name: "i", state: { waiting: { reason: "ErrImagePull" } } }],
    }),
    ["0/2", "Init:ErrImagePull", "0"],
  );
  assert.deepEqual(
    cells({
      phase: "Running",
      containerStatuses: [{ ready: true, restartCount: 2, state: { running: {} } }],
    }),
    ["1/2", "Running", "2"],
  );
  assert.deepEqual(cells({ phase: "Running" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }), [
    "0/2",
    "Terminating",
    "0",
  ]);
});
