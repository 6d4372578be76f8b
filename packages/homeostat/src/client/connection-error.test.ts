// What sockets say, in words that name the server and what to do.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connectionLostError, unreachableError } from "./connection-error.ts";

const cause = (code: string): Error => Object.assign(new Error(`it said ${code}`), { code });
const request = { method: "GET", path: "/version" };

describe("connection errors", () => {
  for (const [code, says] of [
    ["ECONNREFUSED", /Nothing listens there/],
    ["ENOTFOUND", /host name/],
    ["EPROTO", /Does the server speak TLS\? If not, its address begins with http, /],
    ["ERR_SSL_WRONG_VERSION_NUMBER", /Does the server speak TLS\?/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /not trusted/],
  ] as const) {
    it(`give advice on ${code}`, () => {
      const error = unreachableError("https://h:1", 'context "dev" of f', cause(code));
      assert.match(error.hint, says);
      assert.equal(
        error.message,
        `ERR_CLIENT_UNREACHABLE: connecting to https://h:1 (context "dev" of f): it said ${code}`,
      );
    });
  }

  it("ask for TLS only where plain HTTP got something else for an answer", () => {
    assert.match(
      connectionLostError("http://h", request, cause("HPE_INVALID_CONSTANT")).hint,
      /Does the server speak TLS\?/,
    );
    const closed = (bytesRead: number): Error =>
      Object.assign(cause("UND_ERR_SOCKET"), { socket: { bytesRead } });
    assert.match(
      connectionLostError("http://h", request, closed(0)).hint,
      /Does the server speak TLS\?/,
    );
    assert.match(
      connectionLostError("http://h", request, closed(100)).hint,
      /may have been carried out/,
    );
    for (const [server, code] of [
      ["https://h", "HPE_INVALID_CONSTANT"],
      ["http://h", "ECONNRESET"],
    ] as const)
      assert.match(
        connectionLostError(server, request, cause(code)).hint,
        /may have been carried out/,
      );
  });
});
