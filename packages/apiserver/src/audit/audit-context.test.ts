import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { isStream, type StreamSink } from "../apimachinery/handler.ts";
import { openRequest } from "../registry/request/server-request.ts";
import { AuditContext } from "./audit-context.ts";
import type { AuditScope } from "./audit-policy.ts";

test("a stream that is followed takes objects without text where its receiver does", () => {
  const path = "/api/v1/pods?watch=1";
  const request = openRequest({ method: "GET", path, headers: {}, body: new Uint8Array() }, 0);
  const scope: AuditScope = {
    level: "Metadata",
    omitStages: new Set(),
    omitManagedFields: false,
  };
  const stages: string[] = [];
  const audit = new AuditContext(request, "1", {
    evaluate: () => scope,
    clock: createVirtualRuntime().clock,
    process: ({ stage }) => stages.push(stage),
  });
  audit.receive({ name: "ann", groups: [] });
  const seen: StreamSink[] = [];
  const { body } = audit.complete({
    status: 200,
    headers: {},
    body: { open: (sink) => (seen.push(sink), { resume: () => {}, close: () => {} }) },
  });
  assert(isStream(body));
  const taken: unknown[] = [];
  const plain = { data: () => true, end: () => {} };
  body.open({ ...plain, change: (one) => taken.push(one) > 0 });
  body.open(plain);
  const change = { type: "ADDED", object: {} } as unknown as Parameters<
    NonNullable<StreamSink["change"]>
  >[0];
  assert.equal(seen[0]!.change?.(change), true);
  assert.deepEqual(taken, [change]);
  assert.equal(seen[1]!.change, undefined);
  assert.deepEqual(stages, ["RequestReceived", "ResponseStarted"]);
  seen[0]!.end();
  assert.deepEqual(stages, ["RequestReceived", "ResponseStarted", "ResponseComplete"]);
});
