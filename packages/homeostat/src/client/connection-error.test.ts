// What sockets say, in words that name the server and what to do.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connectionLostError, unreachableError } from "./connection-error.ts";

const causeWith = (code: string): Error => Object.assign(new Error(`it said ${code}`), { code });
const request = { method: "GET", path: "/version" };

describe("connection errors", () => {
  for (const [code, says] of [
    ["ECONNREFUSED", /Nothing listens there/],
    ["ENOTFOUND", /host name/],
    ["EPROTO", /Does the server speak TLS\? If not, its address begins with http, /],
    ["ERR_SSL_WRONG_VERSION_NUMBER", /Does the server speak TLS\?/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /not trusted/],
    ["UND_ERR_CONNECT_TIMEOUT", /network, VPN and firewall/],
    ["EHOSTUNREACH", /network, VPN and firewall/],
    ["ENETUNREACH", /network, VPN and firewall/],
    ["EMFILE", /^Check that the server runs/],
  ] as const) {
    it(`give advice on ${code}`, () => {
      const error = unreachableError("https://h:1", 'context "dev" of f', causeWith(code));
      assert.match(error.hint, says);
      assert.equal(
        error.message,
        `ERR_CLIENT_UNREACHABLE: connecting to https://h:1 (context "dev" of f): it said ${code}`,
      );
    });
  }

  it("say what the first of several addresses said, with its code, whatever was thrown", () => {
    const texts = (cause: unknown): string =>
      unreachableError("https://h:1", "test", cause).message.split(": ").slice(2).join(": ");
    const refused = Object.assign(new Error(" no luck\n"), { code: "ECONNREFUSED" });
    assert.equal(texts(refused), "no luck (ECONNREFUSED)");
    assert.equal(
      texts(new AggregateError([refused, new Error("other")])),
      "no luck (ECONNREFUSED)",
    );
    assert.equal(texts(new AggregateError([], "none")), "none");
    assert.equal(texts(Object.assign(new Error(""), { code: "EPIPE" })), "EPIPE");
    assert.equal(texts("text"), "text");
    assert.equal(texts(undefined), "undefined");
  });

  it("suggest TLS only where plain HTTP got another response", () => {
    const closed = (bytesRead: number): Error =>
      Object.assign(causeWith("UND_ERR_SOCKET"), { socket: { bytesRead } });
    for (const [server, cause, hint] of [
      ["http://h", causeWith("HPE_INVALID_CONSTANT"), /Does the server speak TLS\?/],
      ["http://h", closed(0), /Does the server speak TLS\?/],
      ["http://h", closed(100), /may have been carried out/],
      ["https://h", causeWith("HPE_INVALID_CONSTANT"), /may have been carried out/],
      ["http://h", causeWith("ECONNRESET"), /may have been carried out/],
    ] as const)
      assert.match(connectionLostError({ server, request, cause }).hint, hint);
  });
});
