// Answers of 200 that are none are errors that say who may have sent them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listMismatch } from "./check-answer.ts";
import { answerWith, Node, Order, order, play } from "./scripted-client.suite.ts";

const page = "<html>please log in</html>";
const isForeign = (message: RegExp) => (error: unknown) => {
  const { code, hint } = error as { readonly code?: string; readonly hint?: string };
  assert.equal(code, "ERR_CLIENT_ANSWER");
  assert.match(String(error), message);
  assert.match(hint!, /proxy or load balancer/);
  return true;
};

describe("an answer that is no API server's", () => {
  it("names request, content type and text, for reads and writes", async () => {
    const { client } = play((exchange) =>
      exchange.answer(200, page, { "content-type": "text/html" }),
    );
    const what = /\/orders.*: expected JSON, got 200 with text\/html: <html>please log in/;
    await assert.rejects(client.create(Order, order()), isForeign(what));
    await assert.rejects(client.apply(Order, order()), isForeign(what));
    await assert.rejects(client.applyUnread(Order, order()), isForeign(what));
    await assert.rejects(client.get(Order, "o1"), isForeign(what));
    await assert.rejects(client.list(Order), isForeign(what));
    await assert.rejects(client.delete(Order, "o1"), isForeign(what));
  });

  it("names another kind, and null", async () => {
    const other = play(answerWith({ ...order(), kind: "Pod", apiVersion: "v1" })).client;
    const got = /expected kitchen.example.com\/v1 Order, got v1 Pod/;
    await assert.rejects(other.update(Order, order()), isForeign(got));
    await assert.rejects(other.applyUnread(Order, order()), isForeign(got));
    const nothing = play(answerWith(null)).client;
    await assert.rejects(nothing.create(Order, order()), isForeign(/Order, got null/));
    await assert.rejects(nothing.applyUnread(Order, order()), isForeign(/Order, got null/));
    await assert.rejects(nothing.list(Order), isForeign(/a list of .* Order, got null/));
  });

  it("may be of another kind for subresources", async () => {
    const scale = { kind: "Scale", apiVersion: "autoscaling/v1", metadata: { name: "o1" } };
    const { client } = play(answerWith(scale));
    assert.deepEqual(
      await client.patch(Order, "o1", { type: "merge", body: {} }, { subresource: "scale" }),
      scale,
    );
  });

  it("is refused as a list of another kind, and as one without end", async () => {
    const pods = play(answerWith({ kind: "PodList", apiVersion: "v1", metadata: {}, items: [] }));
    const got = /expected a list of kitchen.example.com\/v1 Order, got v1 PodList/;
    await assert.rejects(pods.client.list(Order), isForeign(got));
    const endless = play(answerWith({ metadata: { continue: "again" }, items: [order()] }));
    await assert.rejects(endless.client.list(Order), isForeign(/the same continue token twice/));
    assert.equal(endless.transport.exchanges.length, 2);
  });
});

describe("listMismatch", () => {
  it("lets definitions name their lists, and knows metadata alone", () => {
    const list = (kind: string, apiVersion?: string) => listMismatch(Order, { kind, apiVersion });
    assert.equal(list("OrderList", Order.apiVersion), undefined);
    assert.equal(list("BillList", Order.apiVersion), undefined);
    assert.equal(list("PartialObjectMetadataList", "meta.k8s.io/v1"), undefined);
    assert.equal(listMismatch(Order, {}), undefined);
    assert.match(list("Order", Order.apiVersion)!, /got kitchen.example.com\/v1 Order$/);
    assert.match(listMismatch(Node, { kind: "PodList", apiVersion: "v1" })!, /got v1 PodList/);
  });
});
