// What the reflector asks the server for, and what it leaves behind.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bookmark, event, home, meal, play, playSynced } from "./informer-play.suite.ts";

describe("a reflector", () => {
  it("lists pages of its selection, as metadata when asked to, in any number of chunks", async () => {
    const scope = { namespace: "home", labelSelector: "app=web", metadataOnly: true };
    const { transport, runtime, informer } = await play({}, scope);
    transport.last.refuse(422, "Invalid");
    await runtime.advance(0);
    const { last: list } = transport;
    assert.match(list.url.pathname, /namespaces\/home\/meals$/);
    assert.deepEqual(list.query, { labelSelector: "app=web", limit: "500" });
    assert.match(list.request.headers["accept"]!, /as=PartialObjectMetadataList/);
    const page = JSON.stringify({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "9" },
      items: [{ metadata: meal("soup", "3").metadata }],
    });
    list.head().chunk(page.slice(0, 50)).chunk(page.slice(50)).end();
    await runtime.advance(0);
    assert.equal(informer.get(home("soup"))?.metadata.resourceVersion, "3");
    assert.match(transport.last.request.headers["accept"]!, /as=PartialObjectMetadata;/);
    assert.equal(transport.last.query["labelSelector"], "app=web");
  });

  it("asks for whole objects otherwise", async () => {
    const { transport, runtime } = await play();
    assert.doesNotMatch(transport.last.request.headers["accept"] ?? "", /PartialObjectMetadata/);
    transport.last.refuse(422, "Invalid");
    await runtime.advance(0);
    assert.doesNotMatch(transport.last.request.headers["accept"] ?? "", /PartialObjectMetadata/);
  });

  it("leaves no timer behind when it stops while it waits", async () => {
    for (const lose of [true, false]) {
      const { transport, runtime, cache } = await playSynced();
      if (lose) transport.last.fail(new Error("ECONNRESET"));
      await runtime.advance(0);
      await cache.stop();
      const sent = transport.exchanges.length;
      await runtime.advance(100_000);
      assert.equal(runtime.nextTimerMs(), undefined);
      assert.equal(transport.exchanges.length, sent);
    }
  });

  it("says when it last heard of the server, as wall time", async () => {
    const { transport, runtime, informer } = await playSynced();
    await runtime.advance(1000);
    transport.last.lines(bookmark("6"));
    await runtime.advance(500);
    assert.equal(informer.freshness().lastContact, runtime.clock.now() - 500);
  });

  it("counts no relist for a list that falls back to pages", async () => {
    const { transport, runtime, informer } = await play();
    transport.last.refuse(422, "Invalid");
    await runtime.advance(0);
    transport.last.answer(200, { kind: "MealList", metadata: { resourceVersion: "9" }, items: [] });
    await runtime.advance(0);
    assert.equal(informer.freshness().relists, 0);
    transport.last.head().lines(event("ERROR", { kind: "Status", code: 410 }));
    const sent = transport.exchanges.length;
    while (transport.exchanges.length === sent) await runtime.advance(100);
    assert.equal(informer.freshness().relists, 1);
    transport.last.head().lines(bookmark("12", true));
  });

  it("says whether nothing came at all or nothing more", async () => {
    const { transport, runtime, informer } = await play();
    await runtime.advance(2600);
    assert.match(informer.freshness().lastError!, /^no response from the server for 3 s$/);
    transport.last.refuse(422, "Invalid");
  });
});
