import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiResponse } from "../apimachinery/handler.ts";
import type { Authorizer } from "../apimachinery/authorizer.ts";
import { createTestServer, widgetsPath } from "./testdata/test-server.ts";

const ask = async (
  headers: Readonly<Record<string, string>>,
  path: string,
  authorizer?: Authorizer,
): Promise<{ readonly status: number; readonly message: unknown }> => {
  const { core } = await createTestServer(authorizer ? { authorizer } : {});
  const answer: ApiResponse = await core.handler({
    method: "GET",
    path,
    headers,
    body: new Uint8Array(),
  });
  const text = new TextDecoder().decode(answer.body as Uint8Array);
  return {
    status: answer.status,
    message: text.startsWith("{") ? (JSON.parse(text) as { message?: string }).message : text,
  };
};

test("accepts known tokens, refuses unknown ones; requests without a token are anonymous", async () => {
  assert.equal((await ask({ authorization: "Bearer secret" }, widgetsPath)).status, 200);
  assert.deepEqual(await ask({ authorization: "Bearer wrong" }, widgetsPath), {
    status: 401,
    message: "Unauthorized",
  });
  assert.deepEqual(await ask({}, widgetsPath), {
    status: 403,
    message:
      'widgets.example.com is forbidden: User "system:anonymous" cannot list resource "widgets" in API group "example.com" in the namespace "home"',
  });
  assert.deepEqual(await ask({}, "/metrics"), {
    status: 403,
    message: 'forbidden: User "system:anonymous" cannot get path "/metrics"',
  });
  assert.equal((await ask({ authorization: "Bearer wrong" }, "/readyz")).status, 401);
});

test("a space before the token is a warning, at every path", async () => {
  const { core } = await createTestServer();
  for (const path of ["/readyz", widgetsPath]) {
    const headers = { authorization: "Bearer  secret" };
    const answer = await core.handler({ method: "GET", path, headers, body: new Uint8Array() });
    assert.match(String(answer.headers["warning"]), /^299 - "the provided Authorization header/);
  }
});

test("impersonation asks for each right, and then acts as the other", async () => {
  const asked: string[] = [];
  const authorizer: Authorizer = ({ user, info }) => {
    asked.push(
      `${user.name} ${info.verb} ${info.resource}${info.namespace ? ` in ${info.namespace}` : ""} ${info.name}`.trim(),
    );
    const mayBeAnyone = info.verb === "impersonate";
    return { allowed: user.name !== "eve" && mayBeAnyone, reason: "" };
  };
  const headers = {
    authorization: "Bearer secret",
    "impersonate-user": "eve",
    "impersonate-group": "a\nb",
  };
  assert.equal((await ask(headers, widgetsPath, authorizer)).status, 403);
  assert.deepEqual(asked.slice(-5), [
    "admin impersonate-on:user-info:list widgets in home",
    "admin impersonate users eve",
    "admin impersonate groups a",
    "admin impersonate groups b",
    "eve list widgets in home",
  ]);
});

test("impersonation of a group without a user is refused, naming the group", async () => {
  const { message } = await ask(
    { authorization: "Bearer secret", "impersonate-group": "a" },
    widgetsPath,
  );
  assert.equal(
    message,
    'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)} without impersonating a user name',
  );
});
