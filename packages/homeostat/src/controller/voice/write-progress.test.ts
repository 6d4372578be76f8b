import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { defineResource } from "../../api/resource/define-resource.ts";
import type { Client } from "../../client/client.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import type { ReconcileDependencies } from "../reconcile-dependencies.ts";
import { StatusTurns } from "../status-turns.ts";
import { writeProgress } from "./write-progress.ts";

const api = { group: "x.example.com", version: "v1" } as const;
const Box = defineResource({
  ...{ ...api, kind: "Box", spec: z.object({}) },
  status: z.object({ count: z.int() }),
});
const Own = defineResource({
  ...{ ...api, kind: "Own", spec: z.object({}), status: z.object({}) },
  conditions: ["Reconciling", "Stalled"],
});

/** What is applied to a box whose status this manager wrote for an earlier generation. */
async function show(kind: typeof Box | typeof Own, keepsConditions: boolean): Promise<unknown[]> {
  const applied: unknown[] = [];
  const fieldsV1 = { "f:status": { "f:count": {}, "f:observedGeneration": {} } };
  const entry = { manager: "op/box", operation: "Apply", subresource: "status", fieldsV1 };
  const metadata = { name: "a", namespace: "n", uid: "u", generation: 2, managedFields: [entry] };
  const object = { metadata, spec: {}, status: { count: 1, observedGeneration: 1 } };
  const dependencies = {
    definition: { kind },
    names: { manager: "op/box" },
    runtime: createVirtualRuntime(),
    primary: { unchecked: { get: () => object } },
    statusTurns: new StatusTurns(),
    log: { debug: (message: string) => assert.fail(message) },
    keepsConditions,
  } as unknown as ReconcileDependencies;
  const client = {
    async applyUnread(_: unknown, { status }: { readonly status: object }) {
      applied.push(status);
      return undefined;
    },
  } as unknown as Client;
  const verdict = { is: "stalled", reason: "DeadlineExceeded", message: "late" } as const;
  await writeProgress(dependencies, client, { key: { name: "a", namespace: "n" }, verdict });
  return applied;
}

test("an abandoned run is shown where the runtime keeps conditions", async () => {
  const [status] = (await show(Box, true)) as { conditions: readonly { type: string }[] }[];
  assert.deepEqual(
    status!.conditions.map(({ type }) => type),
    ["Stalled"],
  );
});

test("nothing is written where it keeps none: no run has observed the generation", async () => {
  assert.deepEqual(await show(Box, false), []);
  assert.deepEqual(await show(Own, true), []);
});
