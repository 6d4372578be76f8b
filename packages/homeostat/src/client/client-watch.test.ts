// Watches and streams of a client over a scripted transport, and their credentials.
import type { WatchEvent } from "./client.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiStatusError, isConflict, isExpired, isUnauthorized } from "../api/status.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { ObserverCalls } from "./observer-calls.ts";
import { createScriptedTransport, type ScriptedTransport } from "./scripted-transport.suite.ts";
import { ServerPace } from "./server-pace.ts";
import { openStream } from "./session.ts";
import type { SessionOptions } from "./session-options.ts";
import { brokenObserver, collectWarnings, Order, order, play } from "./scripted-client.suite.ts";

describe("watch", () => {
  const event = (type: string, resourceVersion: string): string =>
    `${JSON.stringify({ type, object: order({ resourceVersion }) })}\n`;
  const collect = async (events: AsyncIterable<WatchEvent<any>>, seen: string[]): Promise<void> => {
    for await (const { type, object } of events)
      seen.push(`${type} ${object.metadata.resourceVersion}`);
  };

  it("yields events however chunks split them, and ends with the stream", async () => {
    const { client, transport, runtime } = play();
    const seen: string[] = [];
    const watching = collect(client.watch(Order, { resourceVersion: "1" }), seen);
    await runtime.advance(0);
    const text = event("ADDED", "2") + event("MODIFIED", "3");
    transport.last.head();
    for (const [from, to] of [
      [0, 20],
      [20, 50],
      [50, 120],
      [120, undefined],
    ] as const)
      transport.last.chunk(text.slice(from, to));
    transport.last.end();
    await watching;
    assert.deepEqual(seen, ["ADDED 2", "MODIFIED 3"]);
  });

  it("throws for an ERROR event and for a refused watch", async () => {
    const { client, transport, runtime } = play();
    const first = assert.rejects(collect(client.watch(Order), []), (error) => isExpired(error));
    await runtime.advance(0);
    transport.last
      .head()
      .chunk(
        '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"Expired","message":"too old","code":410}}\n',
      );
    await first;
    const second = assert.rejects(
      collect(client.watch(Order), []),
      (error) => error instanceof ApiStatusError && isConflict(error),
    );
    await runtime.advance(0);
    transport.last.refuse(409, "Conflict");
    await second;
  });

  it("closes the connection at once on return(), also while the reader waits", async () => {
    const { client, transport, runtime } = play();
    const events = client.watch(Order)[Symbol.asyncIterator]();
    const waiting = [events.next(), events.next()];
    await runtime.advance(0);
    transport.last.head();
    assert.deepEqual(await events.return!(), { done: true, value: undefined });
    assert.equal(transport.last.aborted, true);
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ done }) => done),
      [true, true],
    );
    assert.equal((await events.next()).done, true);
    const unused = client.watch(Order)[Symbol.asyncIterator]();
    await unused.return!();
    assert.equal((await unused.next()).done, true);
    assert.equal(transport.exchanges.length, 1, "never opened");
  });

  it("gives readers that do not wait for each other their events in turn", async () => {
    const { client, transport, runtime } = play();
    const events = client.watch(Order)[Symbol.asyncIterator]();
    const reading = [1, 2, 3].map(() => events.next());
    await runtime.advance(0);
    transport.last
      .head()
      .chunk(event("ADDED", "1") + event("ADDED", "2"))
      .end();
    const read = await Promise.all(reading);
    assert.deepEqual(
      read.map(({ value }) => value?.object.metadata.resourceVersion),
      ["1", "2", undefined],
    );
  });

  it("pauses a stream that outpaces its reader, and resumes it", async () => {
    const { client, transport, runtime } = play();
    const events = client.watch(Order)[Symbol.asyncIterator]();
    const first = events.next();
    await runtime.advance(0);
    transport.last.head();
    for (let i = 0; i < 300; i++) transport.last.chunk(event("ADDED", String(i)));
    assert.equal(transport.last.paused, true);
    await first;
    for (let i = 1; i < 300; i++) await events.next();
    assert.equal(transport.last.resumed, 1);
  });

  it("goes on when an observer throws", async () => {
    const { client, transport, runtime } = play(undefined, { observer: brokenObserver() });
    using warnings = collectWarnings();
    const seen: string[] = [];
    const watching = collect(client.watch(Order, { resourceVersion: "1" }), seen);
    await runtime.advance(0);
    transport.last.head(200, { warning: '299 - "old"' }).chunk(event("ADDED", "2"));
    transport.last.end();
    await watching;
    assert.deepEqual(seen, ["ADDED 2"]);
    assert.deepEqual(await warnings.seen(), ["an observer of the client throws: broken observer"]);
  });

  it("closes the stream when the reader leaves, or aborts", async () => {
    const { client, transport, runtime } = play();
    const leaving = (async () => {
      for await (const _ of client.watch(Order)) break;
    })();
    await runtime.advance(0);
    transport.last.head().chunk(event("ADDED", "1"));
    await leaving;
    assert.equal(transport.last.aborted, true);
    const abort = new AbortController();
    const aborting = assert.rejects(
      collect(client.watch(Order, { signal: abort.signal }), []),
      /stop/,
    );
    await runtime.advance(0);
    abort.abort(new Error("stop"));
    await aborting;
    assert.equal(transport.last.aborted, true);
  });
});

describe("streams and credentials", () => {
  /** A session whose token is the next of a list whenever the server refuses the one before. */
  const session = (
    tokens: string[],
    transport: ScriptedTransport,
  ): { readonly options: SessionOptions; readonly renewals: () => number } => {
    let renewals = 0;
    const runtime = createVirtualRuntime();
    return {
      options: {
        transport,
        runtime,
        pace: new ServerPace(runtime),
        observer: {},
        observerCalls: new ObserverCalls(),
        credentials: {
          headers: async () => ({ authorization: `Bearer ${tokens[0]}` }),
          rejected: async () => (renewals++, tokens.shift(), tokens.length > 0),
        },
      },
      renewals: () => renewals,
    };
  };
  const open = (
    options: SessionOptions,
  ): Promise<{
    readonly opened: number;
    readonly error: Error | undefined;
    readonly text: string;
  }> =>
    new Promise((resolve) => {
      const seen = { opened: 0, text: "" };
      openStream(
        options,
        {
          userAgent: "t",
          signals: [],
          warned: [],
          answered: [],
          impersonation: {},
          fences: [],
          isUrgent: false,
        },
        { method: "GET", path: "/api/v1/nodes", query: { watch: true } },
        {
          opened: () => void seen.opened++,
          data: (chunk) => ((seen.text += new TextDecoder().decode(chunk)), true),
          closed: (error) => resolve({ ...seen, error }),
        },
      );
    });
  const accepting = (token: string) =>
    createScriptedTransport((exchange) =>
      exchange.request.headers["authorization"] === `Bearer ${token}`
        ? exchange.answer(200, "line")
        : exchange.refuse(401, "Unauthorized"),
    );

  it("renews credentials that the server no longer accepts, and reopens", async () => {
    const transport = accepting("new");
    const { options, renewals } = session(["old", "new"], transport);
    assert.deepEqual(await open(options), { opened: 1, error: undefined, text: "line" });
    assert.deepEqual([transport.exchanges.length, renewals()], [2, 1]);
  });

  it("renews once: a second refusal is final", async () => {
    const transport = accepting("none");
    const { options, renewals } = session(["one", "two", "three"], transport);
    const { opened, error } = await open(options);
    assert.equal(isUnauthorized(error), true);
    assert.deepEqual([opened, transport.exchanges.length, renewals()], [0, 2, 1]);
  });

  it("does not reopen with fixed credentials, or after another refusal", async () => {
    const transport = accepting("none");
    const { options } = session(["only"], transport);
    assert.equal(isUnauthorized((await open(options)).error), true);
    assert.equal(transport.exchanges.length, 1);
    const forbidding = createScriptedTransport((exchange) => exchange.refuse(403, "Forbidden"));
    const other = session(["a", "b"], forbidding);
    assert.equal((await open(other.options)).error?.message, "refused: Forbidden");
    assert.deepEqual([forbidding.exchanges.length, other.renewals()], [1, 0]);
  });

  it("ends with the renewal's error when it fails", async () => {
    const { options } = session(["old"], accepting("new"));
    const failing = {
      ...options,
      credentials: {
        headers: options.credentials!.headers,
        rejected: () => Promise.reject(new Error("the plug-in is gone")),
      },
    };
    assert.equal((await open(failing)).error?.message, "the plug-in is gone");
  });
});
