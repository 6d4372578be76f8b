// What admission webhooks are asked, through the server's handler.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "homeostat/api";
import {
  configMap,
  configMaps,
  merge,
  patchOf,
  read,
  rule,
  WebhookServer,
} from "./testdata/webhook-server.ts";

describe("the review", () => {
  test("says what is asked, by whom, with which objects", async (t) => {
    const server = new WebhookServer(t);
    await server.register("validating", { name: "a.x.io" });
    await server.ask("POST", `${configMaps}?fieldManager=me`, configMap("a", { data: { k: "1" } }));
    const [review] = server.reviews.splice(0);
    const request = review!["request"] as JsonObject;
    assert.deepEqual(
      [review!["apiVersion"], review!["kind"]],
      ["admission.k8s.io/v1", "AdmissionReview"],
    );
    assert.match(String(request["uid"]), /^[0-9a-f]{8}-/);
    assert.deepEqual(request["kind"], { group: "", version: "v1", kind: "ConfigMap" });
    assert.deepEqual(request["requestResource"], {
      group: "",
      version: "v1",
      resource: "configmaps",
    });
    assert.deepEqual(
      [request["name"], request["namespace"], request["operation"], request["dryRun"]],
      ["a", "default", "CREATE", false],
    );
    assert.deepEqual(request["userInfo"], {
      username: "bob",
      uid: "7",
      groups: ["system:masters"],
      extra: { a: ["1"], b: ["2"] },
    });
    assert.deepEqual(request["options"], {
      kind: "CreateOptions",
      apiVersion: "meta.k8s.io/v1",
      fieldManager: "me",
    });
    assert.deepEqual(read(request, "object", "data"), { k: "1" });
    assert.equal(request["oldObject"], null);
    await server.ask("PATCH", `${configMaps}/a?dryRun=All`, { data: { k: "2" } }, merge);
    const [update] = server.reviews.splice(0);
    assert.deepEqual(read(update, "request", "oldObject", "data"), { k: "1" });
    assert.deepEqual(read(update, "request", "object", "data"), { k: "2" });
    assert.equal(read(update, "request", "dryRun"), true);
    assert.equal(read(update, "request", "options", "kind"), "UpdateOptions");
  });

  test("comes in the first version that the webhook accepts and the server knows", async (t) => {
    const server = new WebhookServer(t);
    const admissionReviewVersions = ["v2", "v1beta1", "v1"];
    await server.register("validating", { name: "a.x.io", admissionReviewVersions });
    assert.equal((await server.ask("POST", configMaps, configMap("a"))).status, 201);
    assert.equal(server.reviews[0]!["apiVersion"], "admission.k8s.io/v1beta1");
  });

  test("has objects in the version that a rule names", async (t) => {
    const server = new WebhookServer(t);
    const rules = [rule("horizontalpodautoscalers", "autoscaling", "v1")];
    await server.register("mutating", { name: "a.x.io", rules });
    await server.register("validating", { name: "b.x.io", rules, matchPolicy: "Exact" });
    server.judge = () => patchOf({ op: "replace", path: "/spec/maxReplicas", value: 7 });
    const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    const { body } = await server.ask("POST", path, {
      metadata: { name: "a" },
      spec: { scaleTargetRef: target, minReplicas: 1, maxReplicas: 3 },
    });
    const { request } = server.reviews[0] as { readonly request: JsonObject };
    assert.deepEqual(
      [read(request, "kind", "version"), read(request, "requestKind", "version")],
      ["v1", "v2"],
    );
    assert.equal(read(request, "object", "apiVersion"), "autoscaling/v1");
    assert.deepEqual(
      [body["apiVersion"], read(body, "spec", "maxReplicas")],
      ["autoscaling/v2", 7],
    );
    assert.equal(server.reviews.length, 1);
  });
});
