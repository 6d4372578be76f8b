import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Json, JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import { createMemoryStore } from "../storage/memory-store.ts";
import { createTokenIssuer } from "../certificates/token-issuer.ts";
import { createBearerTokens } from "./bearer-tokens.ts";
import { createCatalog } from "../kinds/catalog.ts";
import { createControlPlane, type ControlPlane } from "../server/control-plane.ts";

const runtime = createVirtualRuntime({ startMs: Date.UTC(2026, 0, 1) });
const space = "/api/v1/namespaces/default";
const issuer = "https://kubernetes.default.svc.cluster.local";
let core: ControlPlane;
before(async () => {
  core = await createControlPlane({
    store: createMemoryStore({ keepChanges: 1000 }),
    runtime,
    tokens: new Map([["secret", { name: "admin", groups: ["system:masters"] }]]),
  });
});

async function ask(
  method: string,
  path: string,
  body?: Json,
  token = "secret",
): Promise<{ readonly status: number; readonly object: JsonObject }> {
  const bytes =
    body === undefined ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(body));
  const answer = await core.handler({
    method,
    path,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: bytes,
  });
  return {
    status: answer.status,
    object: JSON.parse(new TextDecoder().decode(answer.body as Uint8Array)) as JsonObject,
  };
}

const at = (object: JsonObject, ...path: readonly string[]): any =>
  path.reduce<any>((value, field) => value?.[field], object);
const requestToken = (account: string, spec: JsonObject = {}) =>
  ask("POST", `${space}/serviceaccounts/${account}/token`, { spec });
const tokenOf = async (account: string, spec?: JsonObject): Promise<string> =>
  at((await requestToken(account, spec)).object, "status", "token");
const review = async (token: string, audiences: readonly string[] = []) =>
  at(
    (
      await ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
        spec: { token, audiences: [...audiences] },
      })
    ).object,
    "status",
  );
const account = async (name: string): Promise<string> =>
  at(
    (await ask("POST", `${space}/serviceaccounts`, { metadata: { name } })).object,
    "metadata",
    "uid",
  );
const claimsOf = (token: string): any =>
  JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());

test("an account's token names its user, and authenticates it", async () => {
  const uid = await account("robot");
  const { status, object } = await requestToken("robot");
  assert.equal(status, 201);
  assert.deepEqual(at(object, "spec"), {
    audiences: [issuer],
    expirationSeconds: 3600,
    boundObjectRef: null,
  });
  assert.deepEqual(
    [
      at(object, "metadata", "name"),
      at(object, "metadata", "uid"),
      at(object, "status", "expirationTimestamp"),
    ],
    ["robot", uid, "2026-01-01T01:00:00Z"],
  );
  const { jti, ...claims } = claimsOf(at(object, "status", "token"));
  const from = Date.UTC(2026, 0, 1) / 1000;
  const kubernetes = { namespace: "default", serviceaccount: { name: "robot", uid } };
  assert.deepEqual(claims, {
    aud: [issuer],
    exp: from + 3600,
    iat: from,
    iss: issuer,
    "kubernetes.io": kubernetes,
    nbf: from,
    sub: "system:serviceaccount:default:robot",
  });
  const self = await ask(
    "POST",
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    {},
    at(object, "status", "token"),
  );
  const user = {
    username: "system:serviceaccount:default:robot",
    uid,
    groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    extra: { "authentication.kubernetes.io/credential-id": [`JTI=${jti}`] },
  };
  assert.deepEqual(at(self.object, "status", "userInfo"), user);
  assert.deepEqual(await review(at(object, "status", "token")), {
    authenticated: true,
    user,
    audiences: [issuer],
  });
});

test("a token is for its audiences only", async () => {
  await account("clerk");
  const token = await tokenOf("clerk", { audiences: ["bank", "shop", "shop"] });
  assert.equal((await ask("GET", "/version", undefined, token)).status, 401);
  assert.deepEqual((await review(token, ["shop", "fair"])).audiences, ["shop"]);
  assert.deepEqual(await review(token, ["a", "b"]), {
    user: {},
    error:
      '[invalid bearer token, token audiences ["bank" "shop" "shop"] is invalid for the target audiences ["a" "b"]]',
  });
});

test("tokens given to the server are valid for the server only; other tokens are invalid", async () => {
  assert.deepEqual(await review("secret"), {
    authenticated: true,
    user: { username: "admin", groups: ["system:masters", "system:authenticated"] },
    audiences: [issuer],
  });
  assert.deepEqual(await review("secret", ["shop"]), { user: {}, error: "invalid bearer token" });
  assert.deepEqual(await review("nobody.knows.it"), { user: {}, error: "invalid bearer token" });
});

test("a token with another signature is invalid", async () => {
  await account("forger");
  const [header, payload] = (await tokenOf("forger")).split(".");
  assert.deepEqual(await review(`${header}.${payload}.AAAA`), {
    user: {},
    error: "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]",
  });
});

test("a token is invalid after its expiry, its account, and the object that it is bound to", async () => {
  await account("short");
  await ask("POST", `${space}/secrets`, { metadata: { name: "bond" } });
  const bound = await tokenOf("short", {
    boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "bond" },
  });
  const plain = await tokenOf("short", { expirationSeconds: 600 });
  assert.equal((await review(bound)).authenticated, true);
  await ask("DELETE", `${space}/secrets/bond`);
  assert.equal(
    (await review(bound)).error,
    "[invalid bearer token, service account token has been invalidated]",
  );
  await runtime.advance(655_000);
  assert.equal((await review(plain)).authenticated, true, "clocks may differ by a minute");
  await runtime.advance(10_000);
  assert.equal(
    (await review(plain)).error,
    "[invalid bearer token, service account token has expired]",
  );
  const last = await tokenOf("short");
  await ask("DELETE", `${space}/serviceaccounts/short`);
  assert.equal(
    (await review(last)).error,
    '[invalid bearer token, serviceaccounts "short" not found]',
  );
  await account("short");
  assert.match(
    (await review(last)).error,
    /^\[invalid bearer token, service account UID \(.*\) does not match claim \(.*\)\]$/,
  );
});

test("a token for an unsupported or missing object is refused", async () => {
  await account("binder");
  await ask("POST", `${space}/pods`, {
    metadata: { name: "other" },
    spec: { serviceAccountName: "somebody", containers: [{ name: "c", image: "i" }] },
  });
  const refusal = async (reference: JsonObject): Promise<unknown> =>
    at((await requestToken("binder", { boundObjectRef: reference })).object, "message");
  const unbindable = "cannot bind token to object of type";
  for (const [apiVersion, kind, name, message] of [
    ["v1", "Pod", "ghost", 'pods "ghost" not found'],
    ["v1", "Secret", "", "Name parameter required."],
    ["v1", "Node", "..", `Name parameter invalid: "..": may not be '..'`],
    [
      "v1",
      "Pod",
      "other",
      'cannot bind token for serviceaccount "binder" to pod running with different serviceaccount name.',
    ],
    ["v1", "ConfigMap", "x", `${unbindable} /v1, Kind=ConfigMap`],
    ["batch/v1", "Job", "x", `${unbindable} batch/v1, Kind=Job`],
  ] as const)
    assert.equal(await refusal({ kind, apiVersion, name }), message);
});

test("a request for a token has a body", async () => {
  await account("silent");
  const { status, object } = await ask("POST", `${space}/serviceaccounts/silent/token`);
  assert.equal(status, 400);
  assert.match(
    at(object, "message"),
    /json parse error: unexpected end of JSON input \(<empty>\)$/,
  );
});

test("a review authenticates a header: a token ends at a space, and may be absent", async () => {
  const nameOf = async (token: string): Promise<string> =>
    at(await review(token), "user", "username");
  assert.deepEqual(
    [await nameOf("secret and more"), await nameOf("secret "), await nameOf(" secret")],
    ["admin", "admin", "system:anonymous"],
  );
  assert.deepEqual(await review(" ", ["a"]), {
    authenticated: true,
    user: { username: "system:anonymous", groups: ["system:unauthenticated"] },
    audiences: ["a"],
  });
  const reviewStrictly = createBearerTokens({
    given: new Map(),
    allowsAnonymous: false,
    issuer: createTokenIssuer(),
    store: createMemoryStore({ keepChanges: 1 }),
    catalog: createCatalog([]),
    clock: runtime.clock,
  });
  assert.deepEqual(reviewStrictly(" x", []), { error: "" });
});
