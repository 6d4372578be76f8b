import assert from "node:assert/strict";
import { test } from "node:test";
import { credentialsFor, type WebhookCredentials } from "./webhook-kubeconfig.ts";

test("a user is found by host and port, by wildcard, without port 443, or by default", () => {
  const named = (name: string): readonly [string, WebhookCredentials] => [
    name,
    { headers: { name } },
  ];
  const of = (hostPort: string, names: readonly string[], currentUser = "") =>
    credentialsFor(
      { users: new Map(names.map(named)), currentUser, currentCluster: new Error() },
      hostPort,
    )?.headers["name"];
  const target = "hook.shop.svc:443";
  const all = [target, "*.shop.svc:443", "*.svc:443", "hook.shop.svc", "*.svc", "*", "me"];
  for (const [at, name] of all.entries()) assert.equal(of(target, all.slice(at), "me"), name);
  assert.equal(of(target, ["me"]), undefined);
  assert.equal(of("hook.shop.svc:8443", ["hook.shop.svc", "*.svc"]), undefined);
  const users = new Map([["*", new Error("auth provider not supported")]]);
  assert.throws(
    () => credentialsFor({ users, currentUser: "", currentCluster: new Error() }, target),
    /auth provider not supported/,
  );
});
