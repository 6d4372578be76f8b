// Admission webhooks on every kind of write, through the server's handler.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "homeostat/api";
import {
  configMap,
  configMaps,
  container,
  merge,
  patchOf,
  read,
  rule,
  WebhookServer,
} from "./testdata/webhook-server.ts";

describe("writes", () => {
  test("of all kinds pass, the configuration of admission does not", async (t) => {
    const server = new WebhookServer(t);
    const path = await server.register("validating", { name: "a.x.io", rules: [rule("*/*", "*")] });
    await server.ask("POST", configMaps, configMap("a"));
    await server.ask("PUT", `${configMaps}/a`, configMap("a", { data: { k: "1" } }));
    const applied = "application/apply-patch+yaml";
    await server.ask("PATCH", `${configMaps}/b?fieldManager=m`, configMap("b"), applied);
    await server.ask("PATCH", `${configMaps}/b`, { data: { k: "1" } }, merge);
    await server.ask("DELETE", `${configMaps}/a`);
    await server.ask("DELETE", configMaps);
    assert.deepEqual(server.seen(), [
      "CREATE configmaps",
      "UPDATE configmaps",
      "CREATE configmaps",
      "UPDATE configmaps",
      "DELETE configmaps",
      "DELETE configmaps",
    ]);
    assert.equal((await server.ask("DELETE", path)).status, 200);
    await server.ask("POST", configMaps, configMap("c"));
    assert.deepEqual(server.seen(), []);
  });

  test("of status pass; match conditions and selectors choose", async (t) => {
    const server = new WebhookServer(t);
    const matchConditions = [{ name: "large", expression: "object.data.size == 'large'" }];
    await server.register(
      "validating",
      { name: "status.x.io", rules: [rule("namespaces/status")] },
      { name: "large.x.io", matchConditions, failurePolicy: "Ignore" },
      { name: "labeled.x.io", objectSelector: { matchLabels: { k: "v" } } },
      { name: "far.x.io", namespaceSelector: { matchLabels: { k: "v" } } },
    );
    await server.ask("PATCH", "/api/v1/namespaces/default/status", { status: {} }, merge);
    assert.deepEqual(server.seen(), ["UPDATE namespaces/status"]);
    await server.ask("POST", configMaps, configMap("a", { data: { size: "large" } }));
    assert.equal(server.seen().length, 1);
    await server.ask("POST", configMaps, configMap("b"));
    assert.equal(server.seen().length, 0);
    const labels = { metadata: { name: "c", labels: { k: "v" } } };
    await server.ask("POST", configMaps, configMap("c", labels));
    assert.equal(server.seen().length, 1);
  });

  test("of a scale show Scales, and a patch of one changes the parent", async (t) => {
    const server = new WebhookServer(t);
    const rules = [rule("replicasets/scale", "apps")];
    await server.register("mutating", { name: "a.x.io", rules });
    await server.register("validating", { name: "b.x.io", rules });
    const sets = "/apis/apps/v1/namespaces/default/replicasets";
    const template = { metadata: { labels: { k: "v" } }, spec: { containers: [container] } };
    const spec = { selector: { matchLabels: { k: "v" } }, template };
    await server.ask("POST", sets, { metadata: { name: "a" }, spec });
    server.judge = (_, path) =>
      path === "/a.x.io" ? patchOf({ op: "replace", path: "/spec/replicas", value: 5 }) : undefined;
    const { body } = await server.ask("PATCH", `${sets}/a/scale`, { spec: { replicas: 3 } }, merge);
    assert.equal(read(body, "spec", "replicas"), 5);
    assert.deepEqual(
      server.reviews.map(({ request }) => [
        read(request, "kind", "kind"),
        read(request, "object", "kind"),
        read(request, "object", "spec", "replicas"),
        read(request, "oldObject", "spec", "replicas"),
      ]),
      [
        ["Scale", "Scale", 3, 1],
        ["Scale", "Scale", 5, 1],
      ],
    );
  });

  test("that connect show their options", async (t) => {
    const server = new WebhookServer(t);
    await server.register("validating", {
      name: "a.x.io",
      rules: [rule("pods/*"), rule("*/proxy")],
    });
    const pods = "/api/v1/namespaces/default/pods";
    await server.ask("POST", `${pods}/a/exec?command=ls&command=-l&stdout=true&container=c`);
    await server.ask("GET", `${pods}/a/attach?tty=1`);
    await server.ask("GET", `${pods}/a/log`);
    await server.ask("GET", `/api/v1/namespaces/default/services/a:80/proxy/x/y`);
    assert.deepEqual(
      server.reviews.map(({ request }) => read(request, "object")),
      [
        {
          kind: "PodExecOptions",
          apiVersion: "v1",
          stdout: true,
          container: "c",
          command: ["ls", "-l"],
        },
        { kind: "PodAttachOptions", apiVersion: "v1", tty: true },
        { kind: "ServiceProxyOptions", apiVersion: "v1", path: "/x/y" },
      ],
    );
    assert.deepEqual(read(server.reviews[0], "request", "options"), null);
    assert.equal(read(server.reviews[2], "request", "name"), "a:80");
    assert.deepEqual(server.seen(), [
      "CONNECT pods/exec",
      "CONNECT pods/attach",
      "CONNECT services/proxy",
    ]);
    server.judge = () => ({ allowed: false });
    assert.equal((await server.ask("GET", `${pods}/a/attach`)).status, 400);
    const dry = await server.ask("POST", `${pods}/a/exec?dryRun=All`);
    assert.equal(dry.body["message"], "dryRun is not supported");
  });

  test("that ask something pass, too", async (t) => {
    const server = new WebhookServer(t);
    const rules = [rule("*", "authorization.k8s.io")];
    await server.register("validating", { name: "a.x.io", rules });
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const spec = { resourceAttributes: { verb: "get", resource: "pods" } };
    assert.equal((await server.ask("POST", path, { spec })).status, 201);
    server.judge = () => ({ allowed: false });
    assert.equal((await server.ask("POST", path, { spec })).status, 400);
  });

  test("that request a token show the account and the audiences when all is decided", async (t) => {
    const server = new WebhookServer(t);
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await server.ask("POST", accounts, { metadata: { name: "robot" } });
    const rules = [rule("serviceaccounts/token")];
    await server.register("mutating", { name: "m.x.io", rules });
    await server.register("validating", { name: "v.x.io", rules });
    const spec = { expirationSeconds: 600 };
    assert.equal((await server.ask("POST", `${accounts}/robot/token`, { spec })).status, 201);
    const fields = (field: string): readonly (Json | undefined)[] =>
      server.reviews.map((review) => read(review, "request", "object", "metadata", field));
    assert.deepEqual(fields("name"), [undefined, "robot"]);
    const [asked, decided] = server.reviews.map((review) =>
      read(review, "request", "object", "spec", "audiences"),
    );
    assert.deepEqual([asked, (decided as readonly Json[]).length], [null, 1]);
    const invalid = { spec: { expirationSeconds: 1 } };
    server.reviews.length = 0;
    assert.equal((await server.ask("POST", `${accounts}/robot/token`, invalid)).status, 422);
    assert.equal(server.reviews.length, 1, "validating webhooks are called for valid ones only");
  });

  test("that bind a pod by its collection have its name", async (t) => {
    const server = new WebhookServer(t);
    await server.register("validating", { name: "a.x.io", rules: [rule("bindings")] });
    const target = { kind: "Node", name: "n" };
    await server.ask("POST", "/api/v1/namespaces/default/bindings", {
      metadata: { name: "b" },
      target,
    });
    assert.equal(read(server.reviews[0]!, "request", "name"), "b");
  });

  test("that delete a pod state its grace period, and are asked twice if it is none", async (t) => {
    const server = new WebhookServer(t);
    const pods = "/api/v1/namespaces/default/pods";
    const spec = { containers: [container] };
    await server.ask("POST", pods, { metadata: { name: "a" }, spec });
    await server.ask("POST", pods, { metadata: { name: "b" }, spec: { ...spec, nodeName: "n" } });
    await server.register("validating", { name: "a.x.io", rules: [rule("pods")] });
    const graces = async (name: string): Promise<readonly (Json | undefined)[]> => {
      server.reviews.length = 0;
      await server.ask("DELETE", `${pods}/${name}`);
      return server.reviews.map((review) =>
        read(review, "request", "options", "gracePeriodSeconds"),
      );
    };
    assert.deepEqual(await graces("a"), [0, 0]);
    assert.deepEqual(await graces("b"), [30]);
    assert.deepEqual(await graces("b"), []);
  });

  test("a failing match condition refuses", async (t) => {
    const server = new WebhookServer(t);
    const matchConditions = [{ name: "c", expression: "object.data.none == 'x'" }];
    await server.register("validating", { name: "a.x.io", matchConditions });
    const { status, body } = await server.ask("POST", configMaps, configMap("a"));
    assert.deepEqual(
      [status, body["message"]],
      [
        403,
        "configmaps \"a\" is forbidden: expression 'object.data.none == 'x'' resulted in error: no such key: data",
      ],
    );
  });
});
