// Patches of mutating admission webhooks, through the server's handler.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json, JsonObject } from "homeostat/api";
import {
  addData,
  configMap,
  configMaps,
  patchOf,
  read,
  rule,
  WebhookServer,
} from "./testdata/webhook-server.ts";
import type { PlaneAnswer } from "./testdata/test-plane.ts";

describe("a patch", () => {
  test("changes the object for the next webhook and for storage", async (t) => {
    const server = new WebhookServer(t);
    await server.register("mutating", { name: "a.x.io" }, { name: "b.x.io" });
    await server.register("validating", { name: "c.x.io" });
    server.judge = (_, path) =>
      path === "/c.x.io" ? undefined : addData(path.slice(1, 2), path.slice(1, 2));
    const { body } = await server.ask("POST", configMaps, configMap("a", { data: { x: "0" } }));
    assert.deepEqual(body["data"], { x: "0", a: "a", b: "b" });
    assert.deepEqual(
      server.reviews.map((review) => read(review, "request", "object", "data")),
      [{ x: "0" }, { x: "0", a: "a" }, { x: "0", a: "a", b: "b" }],
    );
    const [entry] = read(body, "metadata", "managedFields") as readonly Json[];
    assert.deepEqual(Object.keys(read(entry, "fieldsV1") as JsonObject), ["f:data"]);
  });

  test("is decoded, defaulted and validated", async (t) => {
    const server = new WebhookServer(t);
    await server.register("mutating", { name: "a.x.io", rules: [rule("services")] });
    const services = "/api/v1/namespaces/default/services";
    const create = async (...operations: readonly JsonObject[]): Promise<PlaneAnswer> => {
      server.judge = () => patchOf(...operations);
      return await server.ask("POST", `${services}?dryRun=All`, {
        metadata: { name: "a" },
        spec: { ports: [{ port: 80 }] },
      });
    };
    const port = await create({ op: "add", path: "/spec/ports/-", value: { name: "b", port: 81 } });
    assert.equal(port.status, 422);
    const second = await create(
      { op: "add", path: "/spec/ports/0/name", value: "a" },
      { op: "add", path: "/spec/ports/-", value: { name: "b", port: 81, unknown: 1 } },
    );
    assert.deepEqual(read(second.body, "spec", "ports", 1), {
      name: "b",
      protocol: "TCP",
      port: 81,
      targetPort: 81,
    });
    const wrong = await create({ op: "replace", path: "/spec/ports", value: "x" });
    assert.deepEqual(
      [wrong.status, wrong.body["message"]],
      [
        500,
        "Internal error occurred: json: cannot unmarshal string into Go struct field ServiceSpec.spec.ports of type []v1.ServicePort",
      ],
    );
    const missing = await create({ op: "remove", path: "/spec/none" });
    assert.equal(
      missing.body["message"],
      "Internal error occurred: error in remove for path: '/spec/none': Unable to remove nonexistent key: none: missing value",
    );
    server.judge = () => ({ patchType: "Other", patch: patchOf({ op: "x" })["patch"]! });
    const type = await server.ask("POST", services, { metadata: { name: "a" }, spec: {} });
    assert.equal(
      type.body["message"],
      'Internal error occurred: failed calling webhook "a.x.io": unsupported patch type "Other"',
    );
  });

  test("may state no other kind", async (t) => {
    const server = new WebhookServer(t);
    await server.register("mutating", { name: "a.x.io" });
    const refusal = async (...operations: readonly JsonObject[]): Promise<Json | undefined> => {
      server.judge = () => patchOf(...operations);
      const { status, body } = await server.ask("POST", configMaps, configMap("a"));
      assert.equal(status, 500);
      return body["message"];
    };
    const registered = 'is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"';
    const [kind, version] = ["/kind", "/apiVersion"];
    assert.equal(
      await refusal({ op: "replace", path: version, value: "v2" }),
      `Internal error occurred: no kind "ConfigMap" ${registered}`,
    );
    assert.equal(
      await refusal({ op: "replace", path: version, value: "a/b/c" }),
      "Internal error occurred: unexpected GroupVersion string: a/b/c",
    );
    assert.equal(
      await refusal({ op: "replace", path: kind, value: "Secret" }),
      "converting (v1.Secret) to (core.ConfigMap): unknown conversion",
    );
    assert.equal(
      await refusal(
        { op: "replace", path: kind, value: "Secret" },
        { op: "add", path: "/data", value: { a: "!" } },
      ),
      "Internal error occurred: illegal base64 data at input byte 0",
    );
  });

  test("is seen by webhooks of other versions, back and forth", async (t) => {
    const server = new WebhookServer(t);
    const scalers = (version: string): JsonObject => ({
      rules: [rule("horizontalpodautoscalers", "autoscaling", version)],
    });
    await server.register(
      "mutating",
      { name: "a.x.io", ...scalers("v2") },
      { name: "b.x.io", ...scalers("v1") },
      { name: "c.x.io", ...scalers("v2") },
    );
    server.judge = (_, path) =>
      path === "/b.x.io" ? patchOf({ op: "replace", path: "/spec/maxReplicas", value: 7 }) : {};
    const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    await server.ask("POST", "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", {
      metadata: { name: "a" },
      spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3 },
    });
    assert.deepEqual(
      server.reviews.map(({ request }) => [
        read(request, "object", "apiVersion"),
        read(request, "object", "spec", "maxReplicas"),
      ]),
      [
        ["autoscaling/v2", 3],
        ["autoscaling/v1", 3],
        ["autoscaling/v2", 7],
      ],
    );
  });

  test("of managedFields is reset when it cannot be read", async (t) => {
    const server = new WebhookServer(t);
    await server.register("mutating", { name: "a.x.io" });
    server.judge = () => patchOf({ op: "remove", path: "/metadata/managedFields/0/operation" });
    const { body, warnings } = await server.ask(
      "POST",
      configMaps,
      configMap("a", { data: { k: "v" } }),
    );
    assert.equal(read(body, "metadata", "managedFields", 0, "operation"), "Update");
    assert.match(
      warnings[0]!,
      /invalid state after admission; .*operation must be `Apply` or `Update`/,
    );
  });

  test("of a deletion is refused", async (t) => {
    const server = new WebhookServer(t);
    await server.ask("POST", configMaps, configMap("a"));
    await server.register("mutating", { name: "a.x.io" });
    server.judge = () => addData("k", "v");
    const { status, body } = await server.ask("DELETE", `${configMaps}/a`);
    assert.deepEqual(
      [status, body["message"]],
      [
        500,
        'Internal error occurred: admission webhook "a.x.io" attempted to modify the object, which is not supported for this operation',
      ],
    );
  });

  test("calls those again that asked for it, once", async (t) => {
    const server = new WebhookServer(t);
    const again = { reinvocationPolicy: "IfNeeded" };
    await server.register(
      "mutating",
      { name: "a.x.io", ...again },
      { name: "b.x.io" },
      { name: "c.x.io", ...again },
    );
    const calls: string[] = [];
    server.judge = (request, path) => {
      calls.push(path.slice(1, 2));
      const count = Number(read(request, "object", "data", "count") ?? 0);
      return addData("count", String(count + 1));
    };
    await server.ask("POST", configMaps, configMap("a", { data: { count: "0" } }));
    assert.deepEqual(calls, ["a", "b", "c", "a", "c"]);
    calls.length = 0;
    server.judge = (_, path) => void calls.push(path.slice(1, 2));
    await server.ask("POST", configMaps, configMap("b"));
    assert.deepEqual(calls, ["a", "b", "c"]);
  });
});
