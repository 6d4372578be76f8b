// What the write of a status sends, and which refusals say that another writer was faster.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as z from "zod";
import type { Json, JsonObject } from "../api/json.ts";
import { defineResource } from "../api/resource/define-resource.ts";
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { ApiStatusError } from "../api/status.ts";
import type { Client } from "../client/client.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import type { ReconcileDependencies } from "./reconcile-dependencies.ts";
import { StatusTurns } from "./status-turns.ts";
import { createStatusIntent, setStatusFields } from "./status-intent.ts";
import { writeStatus } from "./write-status.ts";

const Box = defineResource({
  group: "x.example.com",
  version: "v1",
  kind: "Box",
  spec: z.object({}),
  status: z.object({ count: z.int() }),
});
const kind = { apiVersion: "x/v1", kind: "Box", resource: "boxes", scope: "Namespaced" } as Kind;
const boxOf = (uid: string, more: object = {}): KubeObject =>
  ({ metadata: { name: "a", namespace: "n", uid, generation: 3 }, ...more }) as KubeObject;

interface Server {
  /** In the cache. */
  readonly cached?: KubeObject;
  /** On the server. */
  readonly live?: KubeObject;
  readonly error?: Error;
}

/** Writes `fields` as the status of the box with uid `u`. */
async function write(fields: object, { cached, live, error }: Server) {
  const applied: unknown[] = [];
  const overtaken: unknown[] = [];
  const client = {
    async applyUnread(_kind: Kind, body: unknown, options: unknown) {
      applied.push([body, options]);
      if (error) throw error;
      return { kind: _kind, key: {}, object: live };
    },
    find: async () => live,
  } as unknown as Client;
  const dependencies = {
    definition: { kind },
    names: { manager: "op/box" },
    runtime: createVirtualRuntime(),
    primary: { unchecked: { get: () => cached } },
    statusTurns: new StatusTurns(),
    keepsConditions: true,
  } as unknown as ReconcileDependencies;
  const intent = createStatusIntent();
  setStatusFields(intent, fields as Record<string, unknown>);
  const scope = { markOvertaken: (one: unknown) => overtaken.push(one) };
  const run = { object: boxOf("u"), intent, scope };
  const outcome = await writeStatus(dependencies, run, client).then(
    (written) => ({ object: written?.object }),
    (failure: unknown) => ({ failure }),
  );
  return { applied, overtaken, ...outcome };
}

const refused = (code: number, reason: string): ApiStatusError =>
  new ApiStatusError({ kind: "Status", apiVersion: "v1", code, reason } as never);

describe("a write of status", () => {
  it("applies the status with the uid, so that it creates nothing", async () => {
    const live = boxOf("u");
    const { applied, object } = (await write({ count: 1 }, { cached: live, live })) as any;
    assert.equal(object, live);
    assert.deepEqual(applied, [
      [
        {
          apiVersion: "x/v1",
          kind: "Box",
          metadata: { name: "a", namespace: "n", uid: "u" },
          status: { count: 1 },
        },
        { subresource: "status", force: true },
      ],
    ]);
  });

  it("is not sent without content, nor for an object that is gone or replaced", async () => {
    const cached = boxOf("u");
    assert.deepEqual((await write({}, { cached, live: cached })).applied, []);
    assert.deepEqual((await write({ count: 1 }, {})).applied, []);
    assert.deepEqual((await write({ count: 1 }, { cached: boxOf("another") })).applied, []);
  });

  it("is not sent when it is what the manager applied last", async () => {
    const managedFields = [
      {
        manager: "op/box",
        operation: "Apply",
        subresource: "status",
        fieldsV1: { "f:status": { "f:count": {} } },
      },
    ];
    const cached = boxOf("u", { status: { count: 1, other: 2 } });
    Object.assign(cached.metadata, { managedFields });
    assert.deepEqual((await write({ count: 1 }, { cached })).applied, []);
    assert.equal((await write({ count: 2 }, { cached })).applied.length, 1);
  });

  it("waits for that of another controller, and states what the other has observed", async () => {
    const [defined, statusTurns] = [Box("x", {}), new StatusTurns()];
    let live = { ...defined, metadata: { name: "x", uid: "u", generation: 2 }, status: {} };
    const sent: Json[] = [];
    const client = {
      async applyUnread(_kind: Kind, { status }: { readonly status: JsonObject }) {
        sent.push(status["observedGeneration"]!);
        await new Promise((resolve) => setImmediate(resolve));
        live = { ...live, status };
      },
    } as unknown as Client;
    const writes = [2, 1].map((generation, i) => {
      const dependencies = {
        definition: { kind: Box },
        names: { manager: `op/${i}` },
        runtime: createVirtualRuntime(),
        primary: { unchecked: { get: () => live } },
        statusTurns,
      } as unknown as ReconcileDependencies;
      const intent = createStatusIntent();
      setStatusFields(intent, { count: i });
      const object = { metadata: { ...live.metadata, generation } } as KubeObject;
      return writeStatus(dependencies, { object, intent, scope: { markOvertaken() {} } }, client);
    });
    await Promise.all(writes);
    assert.deepEqual(sent, [2, 2]);
  });

  it("is given up again, and was overtaken, when it has reached a successor", async () => {
    const successor = boxOf("another");
    const { applied, overtaken, failure } = (await write(
      { count: 1 },
      { cached: boxOf("u"), live: successor },
    )) as any;
    const [, second] = applied;
    const options = { subresource: "status", force: true };
    const metadata = { name: "a", namespace: "n", uid: "another" };
    assert.deepEqual(second, [{ apiVersion: "x/v1", kind: "Box", metadata }, options]);
    assert.equal(applied.length, 2);
    assert.match(failure.message, /Box "a" has been replaced: no object has uid u/);
    assert.deepEqual(overtaken, [failure]);
  });

  it("was overtaken after a conflict, and after a 404 if the object is gone or replaced", async () => {
    const cached = boxOf("u");
    const conflict = refused(409, "Conflict");
    const gone = refused(404, "NotFound");
    const cases: readonly [Server, boolean][] = [
      [{ cached, live: cached, error: conflict }, true],
      [{ cached, error: gone }, true],
      [{ cached, live: boxOf("another"), error: gone }, true],
      [{ cached, live: cached, error: gone }, false],
      [{ cached, error: refused(403, "Forbidden") }, false],
    ];
    for (const [server, isOvertaken] of cases) {
      const { overtaken, failure } = (await write({ count: 1 }, server)) as any;
      assert.equal(failure, server.error);
      assert.deepEqual(overtaken, isOvertaken ? [server.error] : []);
    }
  });
});
