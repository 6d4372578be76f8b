// HTTP/1.1 over undici as a Transport, plain and with TLS, and its error if no server answers.
import assert from "node:assert/strict";
import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import type { AddressInfo } from "node:net";
import type { Handler } from "@homeostat/apiserver";
import type { Transport } from "homeostat/api";
import { createUndiciTransport, type UndiciTransportOptions } from "homeostat/client";
import { createSystemRuntime } from "homeostat/runtime";
import { issueClientCertificate } from "homeostat/certificates";
import { listen } from "../../packages/apiserver/src/http/listen.ts";
import { issueLocalCertificate } from "../fixtures/local-certificate.ts";
import { until } from "../fixtures/until.ts";
import { transportSuite } from "./transport.suite.ts";

const runtime = createSystemRuntime();
const { authority, serving } = issueLocalCertificate();

transportSuite("undici, plain", async (handler) => {
  const listener = await listen(handler, { graceMs: 0 });
  return {
    transport: createUndiciTransport({ server: listener.url }),
    close: () => listener.close(),
  };
});

transportSuite("undici, TLS", async (handler) => {
  const listener = await listen(handler, { tls: serving, graceMs: 0 });
  return {
    transport: createUndiciTransport({ server: listener.url, tls: { ca: authority.cert } }),
    close: () => listener.close(),
  };
});

/** Runs with a server and a way to make transports to it; closes all of them. */
async function withListener(
  options: { readonly clientCa?: string; readonly plain?: true },
  run: (
    open: (options?: Partial<UndiciTransportOptions>) => Transport,
    url: string,
  ) => Promise<void>,
): Promise<void> {
  const listener = await listen(echo, {
    graceMs: 0,
    ...(options.plain ? {} : { tls: { ...serving, ...options } }),
  });
  const opened: Transport[] = [];
  const open = (own: Partial<UndiciTransportOptions> = {}): Transport => {
    const transport = createUndiciTransport({ server: listener.url, ...own });
    opened.push(transport);
    return transport;
  };
  try {
    await run(open, listener.url);
  } finally {
    await Promise.all(opened.map((transport) => transport.close()));
    await listener.close();
  }
}

/** The error of one request. */
function failure(
  transport: Transport,
  path = "/",
): Promise<Error & { readonly code?: string; readonly hint?: string }> {
  return new Promise((resolve, reject) => {
    transport.send(
      { method: "GET", path, headers: {} },
      {
        head: () => {},
        data: () => true,
        end: () => reject(new Error("the request succeeded")),
        fail: resolve,
      },
    );
  });
}

/** Status, headers and body of one request. */
function success(
  transport: Transport,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const chunks: Uint8Array[] = [];
  return new Promise((resolve, reject) => {
    transport.send(
      { method: "GET", path: "/who", headers },
      {
        head: () => {},
        data: (chunk) => (chunks.push(chunk), true),
        end: () => resolve(Buffer.concat(chunks).toString()),
        fail: reject,
      },
    );
  });
}

const echo: Handler = async ({ path, headers, user }) => ({
  status: 200,
  headers: {},
  body: Buffer.from(
    JSON.stringify({ path, group: headers["impersonate-group"], user: user?.name }),
  ),
});

describe("undici transport", { timeout: 30_000 }, () => {
  const withTransport = async (
    options: UndiciTransportOptions,
    run: (transport: Transport) => Promise<void>,
  ): Promise<void> => {
    const transport = createUndiciTransport(options);
    try {
      await run(transport);
    } finally {
      await transport.close();
    }
  };

  it("names server, source of the address, cause and remedy when a connection is refused", async () => {
    await withTransport(
      { server: "https://127.0.0.1:1", origin: 'context "dev"' },
      async (transport) => {
        const error = await failure(transport);
        assert.equal(error.code, "ERR_CLIENT_UNREACHABLE");
        assert.match(
          error.message,
          /connecting to https:\/\/127\.0\.0\.1:1 \(context "dev"\): .*ECONNREFUSED/,
        );
        assert.match(error.hint!, /start the cluster/);
      },
    );
  });

  it("does not let an urgent request wait for a free connection", async () => {
    const held: (() => void)[] = [];
    const handler: Handler = async ({ path }) => {
      if (path === "/slow") await new Promise<void>((resolve) => held.push(resolve));
      return { status: 200, headers: {}, body: new TextEncoder().encode(path) };
    };
    const listener = await listen(handler, { graceMs: 0 });
    await withTransport({ server: listener.url, connections: 1 }, async (transport) => {
      const order: string[] = [];
      const ask = (path: string, more: object = {}): Promise<void> =>
        new Promise((resolve, reject) => {
          const end = (): void => (order.push(path), resolve());
          const sink = { head: () => {}, data: () => true, end, fail: reject };
          transport.send({ method: "GET", path, headers: {}, ...more }, sink);
        });
      const slow = [ask("/slow"), ask("/waits")];
      await ask("/urgent", { isUrgent: true });
      await until(() => held.length > 0);
      held.forEach((release) => release());
      await Promise.all(slow);
      assert.deepEqual(order, ["/urgent", "/slow", "/waits"]);
    });
    await listener.close();
  });

  it("refuses a server whose certificate it cannot trust, unless configured otherwise", async () => {
    await withListener({}, async (open) => {
      const error = await failure(open());
      assert.equal(error.code, "ERR_CLIENT_UNREACHABLE");
      assert.match(error.hint!, /certificate-authority/);
      assert.match(await success(open({ tls: { insecureSkipVerify: true } })), /who/);
      assert.equal(
        (await failure(open({ tls: { ca: authority.cert, serverName: "elsewhere" } }))).code,
        "ERR_CLIENT_UNREACHABLE",
      );
      assert.match(
        await success(open({ tls: { ca: authority.cert, serverName: "localhost" } })),
        /who/,
      );
    });
  });

  it("shows client certificates, fixed ones and ones that are asked for", async () => {
    const pair = issueClientCertificate(authority, { runtime, user: "ada", groups: ["cooks"] });
    await withListener({ clientCa: authority.cert }, async (open) => {
      assert.match(await success(open({ tls: { ca: authority.cert, ...pair } })), /"user":"ada"/);
      let shown: typeof pair | undefined = pair;
      const certificates = { epoch: 0, current: async () => shown! };
      const transport = open({ tls: { ca: authority.cert }, certificates });
      assert.match(await success(transport), /"user":"ada"/);
      shown = issueClientCertificate(authority, { runtime, user: "bob", groups: [] });
      assert.match(await success(transport), /"user":"ada"/, "on the connection that is open");
      certificates.epoch++;
      assert.match(await success(transport), /"user":"bob"/);
      await transport.close();
      let logins = 0;
      const late = open({
        tls: { ca: authority.cert },
        certificates: {
          epoch: 0,
          current: () => (logins++ ? Promise.resolve(pair) : Promise.reject(new Error("no login"))),
        },
      });
      assert.match((await failure(late)).message, /no login/);
      assert.match(await success(late), /"user":"ada"/, "it is asked again");
    });
  });

  it("puts the server's own path first, and repeats headers that hold several values", async () => {
    await withListener({ plain: true }, async (open, url) => {
      const answer = JSON.parse(
        await success(open({ server: `${url}/clusters/c1/` }), { "impersonate-group": "a\nb" }),
      ) as { readonly path: string; readonly group: string };
      assert.equal(answer.path, "/clusters/c1/who");
      assert.match(answer.group, /^a[\n,] ?b$/);
    });
  });

  it("refuses what HTTP cannot carry, and keeps its connections usable", async () => {
    await withListener({ plain: true }, async (open) => {
      const transport = open({ connections: 2 });
      for (let i = 0; i < 3; i++) {
        const error = await failure(transport, "/\u{1f98a}");
        assert.equal(error.code, "ERR_CLIENT_REQUEST");
        assert.match(
          error.message,
          /GET \/\u{1f98a} at http.*cannot be sent: invalid request path/u,
        );
        assert.match(await success(transport), /who/);
      }
      const header = { "x-none": undefined } as unknown as Readonly<Record<string, string>>;
      await assert.rejects(success(transport, header), { code: "ERR_CLIENT_REQUEST" });
      const together = await Promise.all([
        ...Array.from({ length: 8 }, () => failure(transport, "/ ")),
        success(transport),
        success(transport),
        failure(transport, "/ "),
        success(transport),
      ]);
      assert.equal(together.filter((one) => typeof one === "string").length, 3);
    });
  });

  it("refuses an address that is no URL before anything is sent", () => {
    assert.throws(
      () => createUndiciTransport({ server: "kubernetes" }),
      /ERR_CLIENT_SERVER.*"kubernetes"/,
    );
  });

  describe("with a server that breaks the connection", () => {
    let server: Server;
    let url = "";
    const sockets = new Set<Socket>();
    before(async () => {
      server = createServer((socket) => {
        sockets.add(socket);
        socket.once("data", (request) => {
          if (request.includes("GET /half"))
            socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf");
          if (!request.includes("GET /silent")) setImmediate(() => socket.destroy());
        });
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });

    it("reports a lost connection, before and within the response", async () => {
      await withTransport({ server: url }, async (transport) => {
        for (const path of ["/none", "/half"]) {
          const error = await failure(transport, path);
          assert.equal(error.code, "ERR_CLIENT_CONNECTION_LOST", path);
          assert.match(error.message, new RegExp(`GET ${path} at http`));
        }
      });
    });

    it("lets an unanswered request end with the transport", async () => {
      const transport = createUndiciTransport({ server: url });
      const failing = failure(transport, "/silent");
      await new Promise((resolve) => setTimeout(resolve, 50));
      await transport.close();
      assert.equal((await failing).code, "ERR_CLIENT_CLOSED");
    });
  });
});
