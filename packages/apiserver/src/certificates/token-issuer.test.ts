import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type JsonWebKey, verify } from "node:crypto";
import { test } from "node:test";
import { createTokenIssuer } from "./token-issuer.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
  type: "pkcs1",
  format: "pem",
}) as string;

for (const [algorithm, options] of [
  ["ES256", {}],
  ["RS256", { privateKey: rsa, issuer: "https://127.0.0.1:1/" }],
] as const) {
  const tokens = createTokenIssuer(options);

  test(`${algorithm}: the issuer and holders of the public key verify a token`, () => {
    const token = tokens.sign({ sub: "me", aud: ["you"] });
    const claims = { aud: ["you"], iss: tokens.issuer, sub: "me" };
    assert.deepEqual(tokens.verify(token), { claims });
    const [header = "", payload = "", signature = ""] = token.split(".");
    assert.equal(Buffer.from(payload, "base64url").toString(), JSON.stringify(claims));
    const jwk = tokens.publicKey();
    assert.deepEqual(JSON.parse(Buffer.from(header, "base64url").toString()), {
      alg: algorithm,
      kid: jwk["kid"],
    });
    const key = createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
    assert.ok(
      verify(
        "sha256",
        Buffer.from(`${header}.${payload}`),
        { key, dsaEncoding: "ieee-p1363" },
        Buffer.from(signature, "base64url"),
      ),
    );
  });

  test(`${algorithm}: whatever else there is, is refused`, () => {
    const [header = "", payload = "", signature = ""] = tokens.sign({ sub: "me" }).split(".");
    const of = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const others = [
      `${header}.${payload}`,
      `${header}.${payload}.!`,
      `${header}.${payload}=.${signature}`,
      `${of({ alg: 1 })}.${payload}.${signature}`,
      `${of({ alg: algorithm, kid: 1 })}.${payload}.${signature}`,
      `${header}.${payload}.${signature}.${signature}`,
      `${header}.${of([])}.${signature}`,
      "nobody.knows.it",
      "",
    ];
    for (const token of others) assert.equal(tokens.verify(token), undefined, token);
    const fault = "go-jose/go-jose: error in cryptographic primitive";
    for (const token of [
      `${header}.${of({ iss: tokens.issuer, sub: "you" })}.${signature}`,
      `${header}.${payload}.`,
      `${of({ alg: "none" })}.${payload}.`,
      `${of({ alg: "HS256" })}.${payload}.${signature}`,
    ])
      assert.deepEqual(tokens.verify(token), { fault }, token);
    const foreign = createTokenIssuer({ issuer: tokens.issuer }).sign({ sub: "me" });
    assert.deepEqual(tokens.verify(foreign), { fault: "invalid signature, no keys found" });
  });
}
