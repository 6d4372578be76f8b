// Watches that go on after their stream has ended.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isExpired, isForbidden } from "../api/status.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { WatchEvent, WatchOptions } from "./client.ts";
import { lost, Order, order, play } from "./scripted-client.suite.ts";

const event = (type: string, resourceVersion: string) => ({
  type,
  object: order({ resourceVersion }),
});
const failure = (code: number, reason: string) => ({
  type: "ERROR",
  object: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, code },
});

/** Attempts of one client are at most this much apart beyond their pause: the server's pace. */
const turnMs = 1600;

/** Reads a resumed watch into `seen`. */
function start(options: Omit<WatchOptions, "resume"> = {}) {
  const { client, transport, runtime } = play();
  const events = client.watch(Order, { resourceVersion: "5", ...options, resume: true });
  const seen: string[] = [];
  const outcome: { error?: Error; isOver?: true } = {};
  const read = async (): Promise<void> => {
    for await (const { type, object } of events as AsyncIterable<WatchEvent<any>>)
      seen.push(`${type} ${object.metadata.resourceVersion}`);
  };
  void read().then(
    () => (outcome.isOver = true),
    (error: Error) => (outcome.error = error),
  );
  const opened = (): readonly string[] =>
    transport.exchanges.map(({ query }) => query["resourceVersion"]!);
  return { transport, runtime, seen, outcome, opened };
}

describe("a watch that resumes", () => {
  it("opens again at the last resourceVersion, a bookmark's included", async () => {
    const { transport, runtime, seen, opened } = start();
    await runtime.advance(0);
    assert.equal(transport.last.query["allowWatchBookmarks"], "true");
    transport.last.head().lines(event("ADDED", "6"), event("BOOKMARK", "9"));
    await runtime.advance(400);
    transport.last.end();
    await runtime.advance(599);
    assert.equal(transport.exchanges.length, 1, "at most once a second");
    await runtime.advance(1 + turnMs);
    transport.last.head().lines(event("DELETED", "12"));
    await runtime.advance(5000);
    transport.last.fail(lost());
    await runtime.advance(1000 + turnMs);
    assert.deepEqual(
      [opened(), seen],
      [
        ["5", "9", "12"],
        ["ADDED 6", "DELETED 12"],
      ],
    );
  });

  it("yields bookmarks that are asked for", async () => {
    const { transport, runtime, seen } = start({ allowWatchBookmarks: true });
    await runtime.advance(0);
    transport.last.head().lines(event("BOOKMARK", "9"));
    await runtime.advance(0);
    assert.deepEqual(seen, ["BOOKMARK 9"]);
  });

  it("waits longer each time that the server fails, and as long as it asks", async () => {
    const { transport, runtime, opened } = start();
    await runtime.advance(0);
    transport.last.refuse(503, "ServiceUnavailable");
    await runtime.advance(1000 + turnMs);
    transport.last.refuse(500, "InternalError");
    await runtime.advance(1999);
    assert.equal(transport.exchanges.length, 2);
    await runtime.advance(1 + turnMs);
    transport.last.refuse(429, "TooManyRequests", { retryAfterSeconds: 20 });
    await runtime.advance(19_999);
    assert.equal(transport.exchanges.length, 3);
    await runtime.advance(1 + turnMs);
    transport.last.head().lines(failure(504, "Timeout"));
    await runtime.advance(1000 + turnMs);
    assert.equal(transport.exchanges.length, 5, "an answer ends the series of failures");
    assert.deepEqual(opened(), ["5", "5", "5", "5", "5"]);
  });

  it("throws what repeating cannot mend", async () => {
    const expired = start();
    await expired.runtime.advance(0);
    expired.transport.last.head().lines(event("ADDED", "6"), failure(410, "Expired"));
    await expired.runtime.advance(60_000);
    assert.ok(isExpired(expired.outcome.error));
    assert.deepEqual([expired.seen, expired.opened()], [["ADDED 6"], ["5"]]);
    const forbidden = start();
    await forbidden.runtime.advance(0);
    forbidden.transport.last.refuse(403, "Forbidden");
    await forbidden.runtime.advance(0);
    assert.ok(isForbidden(forbidden.outcome.error));
    const closed = start();
    await closed.runtime.advance(0);
    closed.transport.last.fail(new HomeostatError("ERR_CLIENT_CLOSED", "closed", { hint: "" }));
    await closed.runtime.advance(60_000);
    assert.match(closed.outcome.error!.message, /ERR_CLIENT_CLOSED/);
  });

  it("ends with its signal, also in a pause, and with return()", async () => {
    for (const isPaused of [true, false]) {
      const abort = new AbortController();
      const { transport, runtime, outcome } = start({ signal: abort.signal });
      await runtime.advance(0);
      if (isPaused) transport.last.refuse(503, "ServiceUnavailable");
      await runtime.advance(0);
      abort.abort(new Error("enough"));
      await runtime.advance(60_000);
      assert.equal(outcome.error?.message, "enough");
      assert.equal(transport.exchanges.length, 1);
    }
    const { client, transport, runtime } = play();
    const watch = client.watch(Order, { resourceVersion: "5", resume: true });
    const events = watch[Symbol.asyncIterator]();
    const waiting = events.next();
    await runtime.advance(0);
    transport.last.refuse(503, "ServiceUnavailable");
    await runtime.advance(0);
    await events.return!();
    assert.equal((await waiting).done, true);
    await runtime.advance(60_000);
    assert.equal(transport.exchanges.length, 1);
  });

  it("pauses while the reader is behind", async () => {
    const { client, transport, runtime } = play();
    const watch = client.watch(Order, { resourceVersion: "5", resume: true });
    const events = watch[Symbol.asyncIterator]();
    const first = events.next();
    await runtime.advance(0);
    transport.last.head();
    for (let each = 6; each < 306; each++) transport.last.lines(event("ADDED", String(each)));
    assert.equal(transport.last.paused, true);
    await first;
    for (let each = 7; each < 306; each++) await events.next();
    assert.equal(transport.last.resumed, 1);
  });

  it("needs the resourceVersion of a list", () => {
    const { client } = play();
    for (const options of [{}, { resourceVersion: "" }, { resourceVersion: "0" }])
      assert.throws(() => client.watch(Order, { ...options, resume: true }), {
        code: "ERR_ARGUMENT",
        message:
          /client\.watch\(Order, \{ resume: true \}\): resourceVersion is (nothing|""|"0"), expected that of a list/,
      });
    assert.throws(
      () => client.watch(Order, { resourceVersion: "5", sendInitialEvents: true, resume: true }),
      /sendInitialEvents is true, expected it left out/,
    );
  });
});
