// Whom requests impersonate: the client's user, the kubeconfig's, or a derived client's.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { impersonationHeaders } from "./impersonation.ts";
import type { ClusterAccess, Impersonation } from "./kubeconfig/cluster-access.ts";
import { createClient } from "./create-client.ts";
import { createScriptedTransport } from "./scripted-transport.suite.ts";
import { answerWith, order, Order, play } from "./scripted-client.suite.ts";

describe("impersonation", () => {
  it("has a header for each part, with keys that are valid in headers", () => {
    assert.deepEqual(
      impersonationHeaders({
        user: "boss",
        uid: "7",
        groups: ["a", "b"],
        extra: { "Example.com/Scope (all) \u00e9%": ["x", "y"], none: [] },
      }),
      {
        "impersonate-user": "boss",
        "impersonate-uid": "7",
        "impersonate-group": "a\nb",
        "impersonate-extra-example.com%2fscope%20%28all%29%20%c3%a9%25": "x\ny",
      },
    );
  });

  it("is the kubeconfig's unless the client has another, and the derived client's over both", async () => {
    const user = async (client: ReturnType<typeof createClient>): Promise<unknown> => {
      await client.get(Order, "o1");
      return transport.last.request.headers["impersonate-user"];
    };
    const transport = createScriptedTransport(answerWith(order()));
    const access: ClusterAccess = {
      server: "https://h",
      namespace: "default",
      tls: {},
      auth: { type: "none" },
      impersonation: { user: "kubeconfig", groups: ["staff"] },
      origin: "test",
    };
    const ofKubeconfig = createClient({ transport, access });
    const ofOptions = createClient({ transport, access, impersonate: { user: "options" } });
    assert.equal(await user(ofKubeconfig), "kubeconfig");
    assert.equal(transport.last.request.headers["impersonate-group"], "staff");
    assert.equal(await user(ofOptions), "options");
    assert.equal(transport.last.request.headers["impersonate-group"], undefined);
    assert.equal(await user(ofOptions.with({ impersonate: { user: "derived" } })), "derived");
    assert.equal(await user(ofOptions.with({})), "options");
  });

  for (const [given, says] of [
    [{}, /user: a string that is not empty/],
    [{ user: "a\nb" }, /user: a string/],
    [
      { user: "a", group: ["b"] },
      /group: unknown option; expected any of user, uid, groups, extra/,
    ],
    [{ user: "a", groups: "b" }, /groups: a list of strings/],
    [{ user: "a", uid: 7 }, /uid: a string/],
    [{ user: "a", extra: { scope: "x" } }, /extra: lists of strings by key/],
  ] as const)
    it(`refuses ${JSON.stringify(given)}`, () => {
      const impersonate = given as unknown as Impersonation;
      assert.throws(() => play(undefined, { impersonate }), says);
      assert.throws(() => play().client.with({ impersonate }), says);
    });
});
