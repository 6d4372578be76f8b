// The contract of every Transport. Each implementation's test calls it with a way to reach a
// handler.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ApiRequest, ApiResponse, Handler, StreamSink } from "@homeostat/apiserver";
import type { Exchange, Sink, Transport, TransportRequest } from "homeostat/api";
import { until } from "../fixtures/until.ts";

/**
 * A transport to a handler, and how to take down what is between them. The suite closes the
 * transport itself.
 */
export interface Reached {
  readonly transport: Transport;
  close(): Promise<void>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const json = { "content-type": "application/json" };

/** Remembers what a transport told its sink. */
class Recording implements Sink {
  status = 0;
  headers: Readonly<Record<string, string>> = {};
  readonly calls: string[] = [];
  text = "";
  error: Error | undefined;
  /** What `data` answers. */
  ready = true;
  readonly #waiting: (() => boolean)[] = [];

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.status = status;
    this.headers = headers;
    this.#note("head");
  }

  data(chunk: Uint8Array): boolean {
    this.text += decoder.decode(chunk);
    this.#note("data");
    return this.ready;
  }

  end(): void {
    this.#note("end");
  }

  fail(error: Error): void {
    this.error = error;
    this.#note("fail");
  }

  /** Resolves when the condition holds; it is looked at after each call. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): boolean => {
        if (condition()) resolve();
        return condition();
      };
      if (!look()) this.#waiting.push(look);
    });
  }

  ended(): Promise<void> {
    return this.until(() => this.calls.includes("end") || this.calls.includes("fail"));
  }

  #note(call: string): void {
    if (this.calls.at(-1) !== call || call !== "data") this.calls.push(call);
    for (const look of [...this.#waiting])
      if (look()) this.#waiting.splice(this.#waiting.indexOf(look), 1);
  }
}

/** A handler to speak to: echoes, fails, streams. */
function createPeer(): {
  handler: Handler;
  requests: ApiRequest[];
  streams: StreamSink[];
  closed: () => number;
  resumed: () => number;
} {
  const requests: ApiRequest[] = [];
  const streams: StreamSink[] = [];
  let closed = 0;
  let resumed = 0;
  const handler: Handler = async (request): Promise<ApiResponse> => {
    requests.push(request);
    if (request.path === "/missing")
      return { status: 404, headers: json, body: encoder.encode('{"kind":"Status"}') };
    if (request.path === "/empty") return { status: 200, headers: json, body: new Uint8Array(0) };
    if (request.path === "/big")
      return { status: 200, headers: json, body: new Uint8Array(3_000_000).fill(0x61) };
    if (request.path.startsWith("/stream")) {
      const open = (sink: StreamSink) => {
        streams.push(sink);
        return { resume: () => void resumed++, close: () => void closed++ };
      };
      return { status: 200, headers: json, body: { open } };
    }
    return {
      status: 201,
      headers: { ...json, warning: ['299 - "a, b"', '299 - "c"'] },
      body: encoder.encode(`${request.method} ${request.path} ${decoder.decode(request.body)}`),
    };
  };
  return { handler, requests, streams, closed: () => closed, resumed: () => resumed };
}

/** Describes a Transport; `reach` makes one that speaks to the given handler. */
export function transportSuite(name: string, reach: (handler: Handler) => Promise<Reached>): void {
  describe(`transport: ${name}`, { timeout: 30_000 }, () => {
    const peer = createPeer();
    let reached: Reached;
    before(async () => {
      reached = await reach(peer.handler);
    });
    after(async () => {
      await reached.transport.close();
      await reached.close();
    });
    const send = (request: Partial<TransportRequest>): { sink: Recording; exchange: Exchange } => {
      const sink = new Recording();
      return {
        sink,
        exchange: reached.transport.send(
          { method: "GET", path: "/a", headers: {}, ...request },
          sink,
        ),
      };
    };
    describeCalls(peer, send);
    describeStreams(peer, send);

    test("closing ends open requests, and later ones fail", async () => {
      const own = await reach(peer.handler);
      const sink = new Recording();
      own.transport.send({ method: "GET", path: "/stream?watch=true", headers: {} }, sink);
      await sink.until(() => sink.status === 200);
      await own.transport.close();
      await sink.ended();
      assert.equal(sink.calls.at(-1), "fail");
      const late = new Recording();
      own.transport.send({ method: "GET", path: "/a", headers: {} }, late);
      await late.ended();
      assert.deepEqual(late.calls, ["fail"]);
      await own.close();
    });
  });
}

type Peer = ReturnType<typeof createPeer>;
type Send = (request: Partial<TransportRequest>) => { sink: Recording; exchange: Exchange };

function describeCalls(peer: Peer, send: Send): void {
  test("a request arrives whole and its answer comes back: head, data, end", async () => {
    const { sink } = send({
      method: "POST",
      path: "/a?b=c%20d",
      headers: { "content-type": "text/x", "x-odd": "1" },
      body: encoder.encode("höhö"),
    });
    await sink.ended();
    assert.deepEqual(
      [sink.status, sink.text, sink.calls],
      [201, "POST /a?b=c%20d höhö", ["head", "data", "end"]],
    );
    const { headers, user } = peer.requests.at(-1)!;
    assert.deepEqual([headers["content-type"], headers["x-odd"]], ["text/x", "1"]);
    void user;
  });

  test("header names are lower case; warnings are kept apart by newlines", async () => {
    const { sink } = send({});
    await sink.ended();
    assert.deepEqual(
      [sink.headers["content-type"], sink.headers["warning"]],
      ["application/json", '299 - "a, b"\n299 - "c"'],
    );
  });

  test("an error status is an answer like any other", async () => {
    const { sink } = send({ path: "/missing" });
    await sink.ended();
    assert.deepEqual(
      [sink.status, sink.text, sink.calls.at(-1)],
      [404, '{"kind":"Status"}', "end"],
    );
  });

  test("an answer without a body ends without data", async () => {
    const { sink } = send({ path: "/empty" });
    await sink.ended();
    assert.deepEqual(sink.calls, ["head", "end"]);
  });

  test("no callback runs before send has returned", async () => {
    const { sink } = send({});
    assert.deepEqual(sink.calls, []);
    await sink.ended();
  });

  test("many requests at once do not mix", async () => {
    const sent = Array.from({ length: 50 }, (_, i) => ({ i, ...send({ path: `/n/${i}` }) }));
    await Promise.all(sent.map(({ sink }) => sink.ended()));
    for (const { i, sink } of sent) assert.equal(sink.text, `GET /n/${i} `);
  });

  test("a request that is refused at the last moment is not sent", async () => {
    const error = new Error("it may not be sent any more");
    let isShut = false;
    const refusal = () => (isShut ? error : undefined);
    const paths = Array.from({ length: 100 }, (_, i) => `/refused/${i}`);
    const sent = paths.map((path) => ({ path, ...send({ method: "POST", path, refusal }) }));
    isShut = true;
    assert.ok(sent.every(({ sink }) => sink.calls.length === 0));
    await Promise.all(sent.map(({ sink }) => sink.ended()));
    const refused = sent.filter(({ sink }) => sink.error === error);
    assert.ok(refused.length >= 68, `${refused.length} of those that waited are refused`);
    const arrived = new Set(peer.requests.map(({ path }) => path));
    assert.deepEqual(
      refused.filter(({ path }) => arrived.has(path)),
      [],
    );
    const { sink } = send({});
    await sink.ended();
    assert.equal(sink.status, 201);
  });

  test("a reader that asks for a pause gets the rest after it resumes", async () => {
    const { sink, exchange } = send({ path: "/big" });
    sink.ready = false;
    await sink.until(() => sink.text.length > 0);
    assert.ok(!sink.calls.includes("end"));
    sink.ready = true;
    exchange.resume();
    await sink.ended();
    assert.deepEqual([sink.text.length, sink.calls.at(-1)], [3_000_000, "end"]);
  });
}

function describeStreams(peer: Peer, send: Send): void {
  test("a stream's head comes before its first byte, and each push as it is made", async () => {
    const { sink } = send({ path: "/stream?watch=true" });
    await sink.until(() => sink.status === 200);
    assert.deepEqual(sink.calls, ["head"]);
    const stream = peer.streams.at(-1)!;
    stream.data(encoder.encode("one\n"));
    await sink.until(() => sink.text === "one\n");
    stream.data(encoder.encode("two\n"));
    await sink.until(() => sink.text === "one\ntwo\n");
    stream.end();
    await sink.ended();
    assert.equal(sink.calls.at(-1), "end");
  });

  test("an abort fails the sink with its reason, once, and closes the stream", async () => {
    const { sink, exchange } = send({ path: "/stream?watch=true" });
    await sink.until(() => sink.status === 200);
    const closed = peer.closed();
    const reason = new Error("enough");
    exchange.abort(reason);
    exchange.abort(new Error("again"));
    await sink.ended();
    assert.equal(sink.error, reason);
    assert.equal(sink.calls.filter((call) => call === "fail").length, 1);
    await until(() => peer.closed() === closed + 1);
    peer.streams.at(-1)!.data(encoder.encode("late"));
    assert.equal(sink.text, "");
  });

  test("an abort before the answer fails the sink too, and after the end does nothing", async () => {
    const early = send({ path: "/a" });
    early.exchange.abort(new Error("changed my mind"));
    await early.sink.ended();
    assert.deepEqual([early.sink.calls, early.sink.error?.message], [["fail"], "changed my mind"]);
    const late = send({ path: "/a" });
    await late.sink.ended();
    late.exchange.abort(new Error("too late"));
    assert.equal(late.sink.error, undefined);
  });

  test("a slow reader makes the stream pause, and resume", async () => {
    const { sink, exchange } = send({ path: "/stream?watch=true" });
    await sink.until(() => sink.status === 200);
    sink.ready = false;
    const stream = peer.streams.at(-1)!;
    const resumed = peer.resumed();
    const chunk = new Uint8Array(1 << 16);
    let pushes = 0;
    while (stream.data(chunk) && pushes < 10_000) pushes++;
    assert.ok(pushes < 10_000, "the stream is told to pause before memory runs out");
    await sink.until(() => sink.text.length > 0);
    sink.ready = true;
    exchange.resume();
    await until(() => peer.resumed() > resumed);
    exchange.abort();
    await sink.ended();
  });
}
