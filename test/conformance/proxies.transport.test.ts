// Requests through proxies: HTTP CONNECT, SOCKS5, and HTTP proxies of servers without TLS.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Handler } from "@homeostat/apiserver";
import { createUndiciTransport, type UndiciTransportOptions } from "homeostat/client";
import { isHomeostatError } from "homeostat";
import { listen } from "../../packages/apiserver/src/http/listen.ts";
import { issueLocalCertificate } from "../fixtures/local-certificate.ts";
import { openProxy, type ProxyKind } from "../fixtures/open-proxy.ts";

const { authority, serving } = issueLocalCertificate();
const echo: Handler = async ({ path, headers }) => ({
  status: 200,
  headers: {},
  body: Buffer.from(`${path} at ${headers["host"]}`),
});

/** What the server says through a proxy, and what the proxy saw. */
async function ask(
  kind: ProxyKind,
  {
    isSecure = true,
    user = "",
    refuses = false,
    ...options
  }: Partial<UndiciTransportOptions> & {
    readonly isSecure?: boolean;
    readonly user?: string;
    readonly refuses?: boolean;
  } = {},
): Promise<{ readonly said: string; readonly seen: readonly string[]; readonly url: string }> {
  const listener = await listen(echo, { graceMs: 0, ...(isSecure ? { tls: serving } : {}) });
  const proxy = await openProxy(kind, { refuses, user: user && "ada:s:cret", tls: serving });
  const scheme = kind === "socks5" ? "socks5" : kind;
  const transport = createUndiciTransport({
    server: listener.url,
    tls: { ca: authority.cert },
    proxy: `${scheme}://${user && `${user}@`}127.0.0.1:${proxy.port}`,
    ...options,
  });
  try {
    const said = await new Promise<string>((resolve, reject) => {
      let text = "";
      transport.send(
        { method: "GET", path: "/who", headers: {} },
        {
          head: () => {},
          data: (chunk) => ((text += Buffer.from(chunk).toString()), true),
          end: () => resolve(text),
          fail: reject,
        },
      );
    });
    return { said, seen: proxy.seen, url: listener.url };
  } finally {
    await transport.close();
    await Promise.all([listener.close(), proxy.close()]);
  }
}

describe("requests through a proxy", { timeout: 30_000 }, () => {
  for (const kind of ["http", "https", "socks5"] as const) {
    it(`reach a server with TLS through ${kind}, which sees only its address`, async () => {
      const { said, seen, url } = await ask(kind);
      const { host } = new URL(url);
      assert.deepEqual([said, seen], [`/who at ${host}`, [`CONNECT ${host}`]]);
    });

    it(`name user and password to ${kind}`, async () => {
      const { seen, url } = await ask(kind, { user: "ada:s%3Acret" });
      assert.deepEqual(seen, [`CONNECT ${new URL(url).host} ada:s:cret`]);
    });
  }

  it("reach a server without TLS in an HTTP proxy's own form", async () => {
    const { said, seen, url } = await ask("http", { isSecure: false, user: "ada:s%3Acret" });
    assert.deepEqual([said, seen], [`/who at ${new URL(url).host}`, [`GET ${url}/who ada:s:cret`]]);
  });

  it("reach a server without TLS through SOCKS5", async () => {
    const { said, seen, url } = await ask("socks5", { isSecure: false });
    const { host } = new URL(url);
    assert.deepEqual([said, seen], [`/who at ${host}`, [`CONNECT ${host}`]]);
  });

  for (const [kind, says] of [
    ["http", /through the proxy http:\/\/127\.0\.0\.1:\d+: it answered 403 Forbidden/],
    ["socks5", /through the proxy socks5:.*: it answered: the connection is not allowed/],
  ] as const)
    it(`say that ${kind} refuses them`, () =>
      assert.rejects(
        ask(kind, { refuses: true }),
        (error) =>
          isHomeostatError(error, "ERR_CLIENT_UNREACHABLE") &&
          says.test(error.message) &&
          /NO_PROXY/.test(error.hint),
      ));

  it("say that SOCKS5 does not take the password", () =>
    assert.rejects(ask("socks5", { user: "ada:wrong" }), /it refused user and password/));

  it("are refused with another kind of proxy, without its password in the message", () =>
    assert.throws(
      () => createUndiciTransport({ server: "https://h", proxy: "ftp://ada:secret@p" }),
      (error) =>
        isHomeostatError(error, "ERR_CLIENT_PROXY") && error.message.includes('"ftp://…@p"'),
    ));
});
