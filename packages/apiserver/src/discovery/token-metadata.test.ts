import assert from "node:assert/strict";
import { it } from "node:test";
import { createTokenIssuer } from "../certificates/token-issuer.ts";
import { tokenMetadata } from "./token-metadata.ts";

const issuer = createTokenIssuer();
const ask = (path: string, accept = ""): ReturnType<typeof tokenMetadata> =>
  tokenMetadata({ method: "GET", path, query: "", accept, pretty: false }, issuer, {
    address: "127.0.0.1:6443",
  });
const textOf = (answer: ReturnType<typeof tokenMetadata>): string =>
  new TextDecoder().decode(answer!.body as Uint8Array);

it("names the issuer and where its keys are", () => {
  const configuration = JSON.parse(textOf(ask("/.well-known/openid-configuration"))) as Record<
    string,
    unknown
  >;
  assert.equal(configuration["issuer"], "https://kubernetes.default.svc.cluster.local");
  assert.equal(configuration["jwks_uri"], "https://127.0.0.1:6443/openid/v1/jwks");
});

it("serves the public key, and nothing of the private one", () => {
  const { keys } = JSON.parse(textOf(ask("/openid/v1/jwks/"))) as {
    readonly keys: readonly object[];
  };
  assert.deepEqual(Object.keys(keys[0]!), ["use", "kty", "kid", "crv", "alg", "x", "y"]);
});

it("has one form each", () => {
  assert.equal(ask("/openid/v1/jwks", "application/json")?.status, 406);
  assert.equal(ask("/openid/v1"), undefined);
});
