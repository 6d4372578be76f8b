// What the filter hands on: streams end as they would have, and requests stay audited.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import type { RequestAudit } from "../apimachinery/audit.ts";
import { type ApiResponse, type ByteStream, isStream } from "../apimachinery/handler.ts";
import { openRequest, type ServerRequest } from "../registry/request/server-request.ts";
import { createFaultFilter } from "./commit-faults.ts";
import { FaultTable } from "./fault-table.ts";

const table = new FaultTable();
const filter = createFaultFilter(table, createVirtualRuntime().clock);
const request = (path: string, closed?: Promise<void>): ServerRequest =>
  openRequest({ method: "GET", path, headers: {}, body: new Uint8Array(), closed }, 0);
const watch = "/apis/wardle.io/v1/fish?watch=1";
const idle = { resume: () => {}, close: () => {} };

test("a watch that breaks off does not end as a whole one does", async () => {
  for (const way of ["cut", "end"] as const) {
    const body: ByteStream = { open: (sink) => (sink[way]!(), idle) };
    const answer = await filter(request(watch), async () => ({ status: 200, headers: {}, body }));
    const seen: string[] = [];
    assert(isStream(answer.body));
    answer.body.open({
      data: () => true,
      end: () => seen.push("end"),
      cut: () => seen.push("cut"),
    });
    assert.deepEqual(seen, [way]);
  }
});

test("an upgraded connection is left alone", async () => {
  const answer: ApiResponse = { status: 101, headers: {}, body: { open: () => idle } };
  assert.equal(await filter(request(watch), async () => answer), answer);
});

test("a list that is answered as it was is audited all the same", async () => {
  const { id } = table.add({ effect: { type: "stale" } }, 7);
  const list = request("/api/v1/pods");
  const audit = {} as RequestAudit;
  list.audit = audit;
  const served: ServerRequest[] = [];
  await filter(list, async (each) => {
    served.push(each);
    return { status: 200, headers: {}, body: new Uint8Array() };
  });
  table.remove(id);
  assert.equal(served[0]?.query.text("resourceVersion"), "7");
  assert.equal(served[0]?.audit, audit);
});

test("an answer that hangs waits for its client to leave, or for the end of the fault", async () => {
  const answer: ApiResponse = { status: 200, headers: {}, body: new Uint8Array() };
  const { id } = table.add({ effect: { type: "withhold", then: "hang" } }, 7);
  const { promise: closed, resolve: leave } = Promise.withResolvers<void>();
  const over: string[] = [];
  const ask = async (name: string, left?: Promise<void>): Promise<void> => {
    const { cut } = await filter(request("/api/v1/pods", left), async () => answer);
    assert(cut);
    over.push(name);
  };
  const both = [ask("removed"), ask("left", closed)] as const;
  leave();
  await both[1];
  assert.deepEqual(over, ["left"]);
  table.remove(id);
  await both[0];
});
