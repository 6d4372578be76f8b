import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { createSystemRuntime } from "homeostat/runtime";
import {
  type Authority,
  createAuthority,
  issueServingCertificate,
  type KeyPair,
} from "homeostat/certificates";
import { withResponseHeaders } from "./response-headers.ts";
import {
  type ApiRequest,
  type Handler,
  maxBodyBytes,
  type OpenStream,
  type StreamSink,
} from "../apimachinery/handler.ts";
import { listen, type Listener } from "./listen.ts";

const runtime = createSystemRuntime();
const json = { "content-type": "application/json" };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * A core that answers with what it was asked, streams below /stream and remembers who is connected.
 */
function createEcho(): {
  handler: Handler;
  requests: ApiRequest[];
  sinks: StreamSink[];
  closed: () => number;
  resumed: () => number;
} {
  const requests: ApiRequest[] = [];
  const sinks: StreamSink[] = [];
  let closed = 0;
  let resumed = 0;
  const handler: Handler = async (request) => {
    requests.push(request);
    if (request.path === "/big")
      return { status: 200, headers: json, body: bytes(`"${"x".repeat(200_000)}"`) };
    if (request.path === "/words")
      return { status: 200, headers: { ...json, warning: ['299 - "é, 🦊"'] }, body: bytes("{}") };
    if (request.path !== "/stream")
      return {
        status: 201,
        headers: { ...json, warning: ['299 - "a, b"', '299 - "c"'] },
        body: bytes(`{"length":${request.body.length}}`),
      };
    const open = (sink: StreamSink): OpenStream => {
      sinks.push(sink);
      sink.data(bytes("first\n"));
      return { resume: () => resumed++, close: () => closed++ };
    };
    return { status: 200, headers: json, body: { open } };
  };
  return { handler, requests, sinks, closed: () => closed, resumed: () => resumed };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

function ask(
  url: string,
  options: https.RequestOptions & { body?: Uint8Array | string } = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = (url.startsWith("https") ? https : http).request(
    url,
    { rejectUnauthorized: false, agent: false, ...options },
    (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          rawHeaders: response.rawHeaders,
          body: Buffer.concat(chunks),
        }),
      );
    },
  );
  request.on("error", reject);
  request.end(options.body);
  return promise;
}

const until = async (condition: () => boolean): Promise<void> => {
  for (const end = performance.now() + 15_000; !condition();) {
    assert.ok(performance.now() < end, `it never happened: ${condition.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const certificateOf = (authority: Authority): KeyPair =>
  issueServingCertificate(authority, {
    runtime,
    names: ["localhost"],
    addresses: ["127.0.0.1"],
  });

for (const wire of ["plain", "TLS"] as const) {
  describe(`a ${wire} port with HTTP/1.1`, () => {
    const echo = createEcho();
    let listener: Listener;
    before(async () => {
      const authority = createAuthority({ runtime });
      listener = await listen(
        withResponseHeaders(echo.handler, runtime),
        wire === "TLS" ? { tls: certificateOf(authority) } : {},
      );
    });
    after(() => listener.close());

    test("answers carry status, length, audit id and cache control", async () => {
      const answer = await ask(`${listener.url}/a?b=c`, {
        method: "POST",
        body: "hello",
        headers: { "Audit-ID": "mine", "X-Odd": "y" },
      });
      assert.equal(answer.status, 201);
      assert.equal(answer.body.toString(), '{"length":5}');
      const {
        "content-length": length,
        "audit-id": audit,
        "cache-control": cache,
        date,
      } = answer.headers;
      assert.deepEqual(
        [length, audit, cache, typeof date],
        ["12", "mine", "no-cache, private", "string"],
      );
      assert.equal(answer.rawHeaders.filter((name) => name === "warning").length, 2);
      const seen = echo.requests.at(-1)!;
      assert.deepEqual(
        [seen.method, seen.path, seen.headers["x-odd"], seen.user],
        ["POST", "/a?b=c", "y", undefined],
      );
    });

    test("repeated groups stay apart, whatever they contain", async () => {
      await ask(`${listener.url}/a`, {
        headers: { "Impersonate-Group": ["a, b", "c"], Accept: ["x/y", "z/w"] } as never,
      });
      const { headers } = echo.requests.at(-1)!;
      assert.deepEqual([headers["impersonate-group"], headers["accept"]], ["a, b\nc", "x/y, z/w"]);
    });

    test("a body of 3 MiB is read whole, a larger one so far that it shows", async () => {
      assert.equal(
        (
          await ask(`${listener.url}/a`, { method: "PUT", body: new Uint8Array(maxBodyBytes) })
        ).body.toString(),
        `{"length":${maxBodyBytes}}`,
      );
      const { length } = JSON.parse(
        (
          await ask(`${listener.url}/a`, { method: "PUT", body: new Uint8Array(2 * maxBodyBytes) })
        ).body.toString(),
      ) as { readonly length: number };
      assert.ok(length > maxBodyBytes && length < 2 * maxBodyBytes, String(length));
    });

    test("large answers are compressed for those who ask", async () => {
      const plain = await ask(`${listener.url}/big`);
      assert.equal(plain.headers["content-encoding"], undefined);
      const packed = await ask(`${listener.url}/big`, {
        headers: { "Accept-Encoding": "br, gzip" },
      });
      assert.deepEqual(
        [packed.headers["content-encoding"], packed.headers["vary"]],
        ["gzip", "Accept-Encoding"],
      );
      assert.ok(gunzipSync(packed.body).equals(plain.body));
      assert.equal(
        (await ask(`${listener.url}/a`, { headers: { "Accept-Encoding": "gzip" } })).headers[
          "content-encoding"
        ],
        undefined,
      );
    });

    test("a stream arrives as it is pushed, and closes when the client leaves", async () => {
      const before = echo.closed();
      const request = (wire === "TLS" ? https : http).get(`${listener.url}/stream`, {
        rejectUnauthorized: false,
        agent: false,
      });
      request.on("error", () => {});
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      assert.equal(String((await once(response, "data"))[0]), "first\n");
      echo.sinks.at(-1)!.data(bytes("second\n"));
      assert.equal(String((await once(response, "data"))[0]), "second\n");
      request.destroy();
      await until(() => echo.closed() === before + 1);
      assert.equal(echo.sinks.at(-1)!.data(bytes("third\n")), false);
    });

    test("a reader that does not read makes the stream pause, and resume later", async () => {
      const request = (wire === "TLS" ? https : http).get(`${listener.url}/stream`, {
        rejectUnauthorized: false,
        agent: false,
      });
      request.on("error", () => {});
      const [response] = (await once(request, "response")) as [http.IncomingMessage];
      const sink = echo.sinks.at(-1)!;
      const resumed = echo.resumed();
      let pushed = 0;
      while (sink.data(new Uint8Array(1 << 16)) && pushed < 1000) pushed++;
      assert.ok(pushed < 1000);
      response.resume();
      await until(() => echo.resumed() > resumed);
      request.destroy();
    });
  });
}

test("half a body never becomes a request", async () => {
  const echo = createEcho();
  const listener = await listen(echo.handler);
  const request = http.request(`${listener.url}/a`, {
    method: "DELETE",
    headers: { "content-length": 100 },
  });
  request.on("error", () => {});
  request.write("half");
  await new Promise((resolve) => setTimeout(resolve, 30));
  request.destroy();
  await ask(`${listener.url}/next`);
  assert.deepEqual(
    echo.requests.map((each) => each.path),
    ["/next"],
  );
  await listener.close();
});

describe("a TLS port with HTTP/2", () => {
  const echo = createEcho();
  const authority = createAuthority({ runtime });
  let listener: Listener;
  before(async () => {
    listener = await listen(withResponseHeaders(echo.handler, runtime), {
      tls: certificateOf(authority),
    });
  });
  after(() => listener.close());

  test("texts in headers are UTF-8, over HTTP/1.1 too", async () => {
    const session = http2.connect(listener.url, { ca: authority.cert });
    const sent = Buffer.from("é, 🦊", "utf8").toString("latin1");
    const [headers] = (await once(
      session.request({ ":path": "/words", "user-agent": sent }),
      "response",
    )) as [http2.IncomingHttpHeaders];
    const { headers: older } = await ask(`${listener.url}/words`, {
      headers: { "user-agent": sent },
    });
    assert.deepEqual(
      echo.requests.slice(-2).map((request) => request.headers["user-agent"]),
      ["é, 🦊", "é, 🦊"],
    );
    for (const warning of [headers["warning"], older["warning"]])
      assert.equal(Buffer.from(String(warning), "latin1").toString("utf8"), '299 - "é, 🦊"');
    session.destroy();
  });

  test("requests and streams share one connection, and 3,000 cancelled streams do not end it", async () => {
    const session = http2.connect(listener.url, { ca: authority.cert });
    let goaway = 0;
    session.on("goaway", () => goaway++);
    for (let round = 0; round < 30; round++) {
      const streams = await Promise.all(
        Array.from({ length: 100 }, async () => {
          const stream = session.request({ ":path": "/stream" });
          await once(stream, "data");
          return stream;
        }),
      );
      for (const stream of streams) stream.close(http2.constants.NGHTTP2_CANCEL);
    }
    await until(() => echo.closed() === 3000);
    const stream = session.request({
      ":path": "/a",
      ":method": "POST",
      "impersonate-group": ["a", "b"],
    });
    stream.end("hello");
    const [headers] = (await once(stream, "response")) as [http2.IncomingHttpHeaders];
    assert.deepEqual([headers[":status"], headers["audit-id"]?.length], [201, 36]);
    assert.equal(String((await once(stream, "data"))[0]), '{"length":5}');
    assert.equal(echo.requests.at(-1)!.headers["impersonate-group"], "a\nb");
    assert.deepEqual([goaway, session.closed], [0, false]);
    session.destroy();
  });
});

test("closing ends streams cleanly, and is quick even when clients hold on", async () => {
  const echo = createEcho();
  const authority = createAuthority({ runtime });
  const listener = await listen(echo.handler, {
    tls: certificateOf(authority),
  });
  const session = http2.connect(listener.url, { ca: authority.cert });
  const stream = session.request({ ":path": "/stream" });
  await once(stream, "data");
  const agent = new https.Agent({ keepAlive: true });
  await ask(`${listener.url}/a`, { agent });
  const ended = once(stream, "end");
  const start = performance.now();
  await listener.close();
  assert.ok(performance.now() - start < 300);
  await ended;
  assert.equal(echo.closed(), 1);
  agent.destroy();
  session.destroy();
});
