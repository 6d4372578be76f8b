// A server restored from a backup counts its revisions from an earlier one, and its objects may
// have other uids: reads show what it holds now.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bookmark, event, home, Meal, meal, type Play, playSynced } from "./informer-play.suite.ts";

const tooLarge = { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large" }] };

async function write({ client, transport, runtime }: Play, answer: object): Promise<void> {
  const writing = client.update(Meal, meal("soup", "3"));
  await runtime.advance(0);
  transport.last.answer(200, answer);
  await writing;
}

/** Ends the watch as a restored server does; resolves once the list is awaited. */
async function restore({ transport, runtime }: Play): Promise<void> {
  transport.exchanges.findLast(({ query }) => query["watch"])!.refuse(504, "Timeout", tooLarge);
  const sent = transport.exchanges.length;
  while (transport.exchanges.length === sent) await runtime.advance(100);
}

describe("a restored server", () => {
  it("overrides earlier own writes and deletions", async () => {
    const playing = await playSynced();
    const { transport, runtime, informer, client } = playing;
    transport.last.lines(bookmark("20"));
    await write(playing, meal("soup", "30"));
    const deleting = client.delete(Meal, "stew");
    await runtime.advance(0);
    transport.last.answer(200, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { uid: "uid-stew" },
    });
    await deleting;
    assert.equal(informer.get(home("stew")), undefined);
    await restore(playing);
    transport.last.head().lines(
      event("ADDED", {
        ...meal("soup", "3"),
        metadata: { ...meal("soup", "3").metadata, uid: "uid-other" },
      }),
      event("ADDED", meal("stew", "4")),
      bookmark("7", true),
    );
    assert.equal(informer.get(home("soup"))?.metadata.uid, "uid-other");
    assert.equal(informer.get(home("stew"))?.metadata.uid, "uid-stew");
    assert.equal(informer.stats().ownWrites, 0);
  });

  it("may hold other contents at an equal revision, and says nothing of equal ones", async () => {
    const playing = await playSynced();
    const { transport, informer, told } = playing;
    transport.last.lines(bookmark("20"));
    await restore(playing);
    transport.last
      .head()
      .lines(
        event("ADDED", { ...meal("soup", "3"), spec: { dish: "other" } }),
        event("ADDED", meal("stew", "4")),
        bookmark("7", true),
      );
    assert.deepEqual(informer.get(home("soup"))?.["spec"], { dish: "other" });
    assert.deepEqual(told, ["updated home/soup 3-3 relist"]);
  });

  it("does not hide later writes", async () => {
    const playing = await playSynced();
    const { transport, informer } = playing;
    transport.last.lines(bookmark("20"));
    await restore(playing);
    const list = transport.last;
    await write(playing, { ...meal("soup", "29"), spec: { dish: "new" } });
    list.head().lines(event("ADDED", meal("soup", "3")), bookmark("7", true));
    assert.deepEqual(informer.get(home("soup"))?.["spec"], { dish: "new" });
  });

  it("is not assumed when a list is merely older than an own write", async () => {
    const playing = await playSynced();
    const { transport, informer, runtime } = playing;
    transport.last.refuse(410, "Expired");
    await write(playing, { ...meal("soup", "30"), spec: { dish: "new" } });
    const sent = transport.exchanges.length;
    while (transport.exchanges.length === sent) await runtime.advance(100);
    transport.last.head().lines(event("ADDED", meal("soup", "3")), bookmark("7", true));
    assert.deepEqual(informer.get(home("soup"))?.["spec"], { dish: "new" });
  });
});
