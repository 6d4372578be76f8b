// What a request gets that an admission webhook refuses or fails, through the server's handler.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json, JsonObject } from "homeostat/api";
import {
  configMap,
  configMaps,
  patchOf,
  read,
  type Verdict,
  WebhookServer,
} from "./testdata/webhook-server.ts";
import type { PlaneAnswer } from "./testdata/test-plane.ts";

describe("a refusal", () => {
  test("has the status that the webhook gives", async (t) => {
    const server = new WebhookServer(t);
    await server.register("validating", { name: "a.x.io" });
    const refused = async (response: JsonObject): Promise<PlaneAnswer> => {
      server.judge = () => ({ allowed: false, ...response });
      return await server.ask("POST", configMaps, configMap("a"));
    };
    assert.deepEqual((await refused({})).body, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'admission webhook "a.x.io" denied the request without explanation',
      code: 400,
    });
    const causes = [{ reason: "FieldValueInvalid", message: "odd", field: "data" }];
    const status = { code: 422, reason: "Invalid", message: "no", details: { causes }, junk: 1 };
    const { status: code, body, warnings } = await refused({ status, warnings: ["careful"] });
    assert.deepEqual(
      [code, body["reason"], body["message"], body["details"], body["junk"], warnings],
      [
        422,
        "Invalid",
        'admission webhook "a.x.io" denied the request: no',
        { causes },
        undefined,
        ['299 - "careful"'],
      ],
    );
    const success = await refused({ status: { status: "Success", code: 200, reason: "Why" } });
    assert.deepEqual(
      [success.status, success.body["status"], success.body["message"]],
      [400, "Failure", 'admission webhook "a.x.io" denied the request: Why'],
    );
  });

  test("of an answer that is not valid names the fault; Ignore admits", async (t) => {
    const server = new WebhookServer(t);
    const path = await server.register("validating", { name: "a.x.io" });
    const fault = async (verdict: Verdict): Promise<string> => {
      server.judge = () => verdict;
      const { body } = await server.ask("POST", `${configMaps}?dryRun=All`, configMap("a"));
      return String(body["message"]).replace(/^Internal error occurred: /, "");
    };
    const failed = 'failed calling webhook "a.x.io": ';
    const invalid = `${failed}received invalid webhook response: `;
    const call = `${failed}failed to call webhook: `;
    const kind = "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got";
    assert.match(await fault({ uid: "x" }), /expected response.uid="[^"]+", got "x"$/);
    assert.equal(await fault("{}"), `${invalid}webhook response was absent`);
    assert.equal(
      await fault({ ...patchOf({}) }),
      `${invalid}validating webhook may not return response.patch`,
    );
    assert.equal(
      await fault({ patchType: "JSONPatch" }),
      `${invalid}validating webhook may not return response.patchType`,
    );
    assert.equal(
      await fault({ allowed: "yes" }),
      `${call}json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool`,
    );
    assert.equal(
      await fault('{"kind":"Status","apiVersion":"v1"}'),
      `${call}converting (v1.Status) to (v1.AdmissionReview): unknown conversion`,
    );
    assert.equal(
      await fault('{"kind":"Pod","apiVersion":"v1"}'),
      `${call}no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
    );
    assert.equal(
      await fault(""),
      `${call}0-length response with status code: 200 and content type: application/json`,
    );
    server.judge = ({ uid }) => `{"response":{"uid":${JSON.stringify(uid)},"allowed":true}}`;
    const unnamed = await server.ask("POST", configMaps, configMap("a"));
    assert.equal(
      read(unnamed.body, "message"),
      `Internal error occurred: ${invalid}${kind} /, Kind=`,
    );
    const ignore = [{ op: "replace", path: "/webhooks/0/failurePolicy", value: "Ignore" }];
    await server.ask("PATCH", path, ignore, "application/json-patch+json");
    assert.equal((await server.ask("POST", configMaps, configMap("a"))).status, 201);
    server.judge = () => ({ allowed: false });
    assert.equal((await server.ask("POST", configMaps, configMap("b"))).status, 400);
  });

  test("of a webhook that is slow: its own time runs out, or that of the request", async (t) => {
    const server = new WebhookServer(t);
    const path = await server.register("validating", { name: "a.x.io", timeoutSeconds: 5 });
    server.judge = () => new Promise(() => undefined);
    const asked = async (query: string): Promise<readonly [number, Json | undefined]> => {
      const answer = server.ask("POST", `${configMaps}${query}`, configMap("a"));
      for (let i = 0; i < 10; i++) await server.runtime.advance(1000);
      const { status, body } = await answer;
      return [status, body["message"]];
    };
    const url = (seconds: number): string =>
      `https://hook.default.svc:443/a.x.io?timeout=${seconds}s`;
    assert.deepEqual(await asked(""), [
      500,
      `Internal error occurred: failed calling webhook "a.x.io": failed to call webhook: Post "${url(5)}": context deadline exceeded`,
    ]);
    const over = "Timeout: request did not complete within the allotted timeout";
    assert.deepEqual(await asked("?timeout=2s"), [504, over]);
    const ignore = [{ op: "replace", path: "/webhooks/0/failurePolicy", value: "Ignore" }];
    await server.ask("PATCH", path, ignore, "application/json-patch+json");
    assert.deepEqual((await asked("?timeout=2s"))[0], 504);
    assert.deepEqual((await asked(""))[0], 201);
  });

  test("of a webhook that takes longer than any write: 34 seconds", async (t) => {
    const server = new WebhookServer(t);
    await server.register(
      "validating",
      { name: "a.x.io", timeoutSeconds: 30, failurePolicy: "Ignore" },
      { name: "b.x.io", timeoutSeconds: 30, failurePolicy: "Ignore" },
    );
    await server.register("mutating", {
      name: "c.x.io",
      timeoutSeconds: 30,
      failurePolicy: "Ignore",
    });
    server.judge = () => new Promise(() => undefined);
    const answer = server.ask("POST", configMaps, configMap("a"));
    for (let i = 0; i < 40; i++) await server.runtime.advance(1000);
    const { status, body } = await answer;
    assert.deepEqual(
      [status, body["kind"], body["message"]],
      [
        504,
        "Status",
        "Timeout: request did not complete within requested timeout - context deadline exceeded",
      ],
    );
  });

  test("of a webhook that allows after the request timed out: nothing is written", async (t) => {
    const server = new WebhookServer(t);
    await server.register("mutating", { name: "a.x.io", timeoutSeconds: 5 });
    const verdict = Promise.withResolvers<JsonObject>();
    server.judge = () => verdict.promise;
    const answer = server.ask("POST", `${configMaps}?timeout=1500ms`, configMap("a"));
    await server.runtime.advance(1500);
    assert.equal((await answer).status, 504);
    verdict.resolve({ allowed: true });
    for (let i = 0; i < 5; i++) await server.runtime.advance(0);
    assert.equal((await server.ask("GET", `${configMaps}/a`)).status, 404);
  });

  test("of a dry run that the webhook would take for real", async (t) => {
    const server = new WebhookServer(t);
    await server.register("validating", { name: "a.x.io", sideEffects: "NoneOnDryRun" });
    const path = `${configMaps}?dryRun=All`;
    assert.equal((await server.ask("POST", path, configMap("a"))).status, 201);
    const service = { namespace: "default", name: "none" };
    await server.register("validating", { name: "b.x.io", clientConfig: { service } });
    assert.equal(
      read((await server.ask("POST", path, configMap("a"))).body, "message"),
      'Internal error occurred: failed calling webhook "b.x.io": failed to call webhook: Post "https://none.default.svc:443/?timeout=10s": service "none" not found',
    );
  });
});
