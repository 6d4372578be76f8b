// What identity providers answer, and what of it is a token.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { discoveryUrl, isValidToken, readTokenEndpoint, readTokens } from "./oidc-tokens.ts";

const answer = (status: number, body: unknown, type = "application/json") => ({
  status,
  headers: { "content-type": type },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});
const jwt = (claims: unknown): string =>
  `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`;

describe("an identity provider", () => {
  it("is described behind its address, with or without a slash", () => {
    const described = "https://p/realm/.well-known/openid-configuration";
    assert.equal(discoveryUrl("https://p/realm"), described);
    assert.equal(discoveryUrl("https://p/realm/"), described);
    assert.equal(readTokenEndpoint(answer(200, { token_endpoint: "https://p/t" })), "https://p/t");
    for (const [given, why] of [
      [answer(500, "oops\n"), /^its description was answered with 500: oops$/],
      [answer(404, ""), /^its description was answered with 404$/],
      [answer(503, "x".repeat(100)), /^its description was answered with 503: x{80}$/],
      [answer(500, { token_endpoint: "https://p/t" }), /answered with 500/],
      [answer(200, {}), /has no token_endpoint$/],
      [answer(200, { token_endpoint: "" }), /has no token_endpoint$/],
      [answer(200, "no JSON"), /has no token_endpoint$/],
    ] as const)
      assert.throws(() => readTokenEndpoint(given), { message: why });
  });

  it("answers with tokens in JSON or as a form", () => {
    const tokens = { access_token: "a", id_token: "i", refresh_token: "r" };
    const form = new URLSearchParams(tokens).toString();
    for (const given of [
      answer(200, tokens),
      answer(299, tokens, "application/json; charset=utf-8"),
      answer(201, form, "application/x-www-form-urlencoded"),
      answer(200, form, "text/plain; charset=utf-8"),
    ])
      assert.deepEqual(readTokens(given), { idToken: "i", refreshToken: "r" });
    assert.deepEqual(readTokens({ ...answer(200, tokens), headers: {} }).idToken, "i");
    assert.deepEqual(readTokens(answer(200, { access_token: "a", refresh_token: "" })), {});
  });

  it("is quoted where it refuses, and not where it gives", () => {
    for (const [given, why] of [
      [answer(400, { error: "invalid_grant" }), /^it answered 400: invalid_grant$/],
      [answer(200, { error: "x", error_description: "y" }), /^it answered 200: x \(y\)$/],
      [answer(300, { access_token: "a", id_token: "i" }), /^it answered 300: /],
      [answer(199, { access_token: "a" }), /^it answered 199: /],
      [answer(502, "<html>"), /^it answered 502: <html>$/],
      [answer(200, { id_token: "secret" }), /^its answer has no access_token$/],
    ] as const)
      assert.throws(() => readTokens(given), { message: why });
  });
});

describe("an id token", () => {
  it("is valid until ten seconds before it expires", () => {
    const token = jwt({ exp: 1000.9 });
    assert.equal(isValidToken(token, 989_999), true);
    assert.equal(isValidToken(token, 990_000), false);
    assert.equal(isValidToken(jwt({}), 0), false);
    assert.equal(isValidToken(jwt({ exp: "1000" }), 0), false);
  });

  it("is a JWT; what is none is not repeated", () => {
    for (const none of ["secret", "a.secret", "a.secret.c", `${jwt({})}.secret`, jwt("secret")])
      assert.throws(
        () => isValidToken(none, 0),
        (error: Error) => /is no JWT/.test(error.message) && !error.message.includes("secret"),
      );
  });
});
