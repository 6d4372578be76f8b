// Admission webhooks on every kind of write, through the server's handler.
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { encodeJsonBytes, isObject, type Json, type JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import { type Handler, isStream } from "../apimachinery/handler.ts";
import { createMemoryStore } from "../storage/memory-store.ts";
import { createControlPlane } from "./control-plane.ts";

type Verdict = JsonObject | string | undefined;
type Judge = (request: JsonObject, path: string) => Verdict | Promise<Verdict>;

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly warnings: readonly string[];
}

const group = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/default/configmaps";
const merge = "application/merge-patch+json";
const user = { name: "bob", groups: ["system:masters"], uid: "7", extra: { b: ["2"], a: ["1"] } };

const read = (value: Json | undefined, ...path: readonly (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (at as Record<string, Json> | null)?.[key], value);

class Server {
  readonly reviews: JsonObject[] = [];
  readonly runtime = createVirtualRuntime();
  /** What the webhook answers in `response`; a text is the whole body. Default: allowed. */
  judge: Judge = () => undefined;
  readonly #plane: Promise<{ readonly handler: Handler; close(): Promise<void> }>;

  constructor(t: TestContext) {
    const hook: Handler = async ({ path, body }) => {
      const review = JSON.parse(new TextDecoder().decode(body)) as JsonObject;
      this.reviews.push(review);
      const request = review["request"] as JsonObject;
      const verdict = await this.judge(request, path.split("?")[0]!);
      const response = {
        uid: request["uid"]!,
        allowed: true,
        ...(isObject(verdict) ? verdict : {}),
      };
      const answer = { apiVersion: review["apiVersion"]!, kind: "AdmissionReview", response };
      const sent = typeof verdict === "string" ? new TextEncoder().encode(verdict) : undefined;
      return { status: 200, headers: {}, body: sent ?? encodeJsonBytes(answer) };
    };
    this.#plane = createControlPlane({
      store: createMemoryStore(),
      runtime: this.runtime,
      tokens: new Map(),
      serviceLocations: new Map([["default/hook", hook]]),
    });
    t.after(async () => await (await this.#plane).close());
  }

  async ask(method: string, path: string, body?: Json, type = "application/json"): Promise<Answer> {
    const answer = await (
      await this.#plane
    ).handler({
      method,
      path,
      headers: { "content-type": type },
      body: body === undefined ? new Uint8Array() : encodeJsonBytes(body),
      user,
    });
    if (isStream(answer.body)) throw new Error("expected a whole answer");
    const warnings = answer.headers["warning"] ?? [];
    return {
      status: answer.status,
      body: JSON.parse(new TextDecoder().decode(answer.body)) as JsonObject,
      warnings: typeof warnings === "string" ? [warnings] : warnings,
    };
  }

  /** Registers webhooks for writes of config maps, unless they say otherwise. */
  async register(
    kind: "mutating" | "validating",
    ...webhooks: readonly JsonObject[]
  ): Promise<string> {
    const name = `${kind}-${webhooks.map((each) => each["name"]).join("-")}`.replaceAll(".", "-");
    const { status, body } = await this.ask("POST", `${group}/${kind}webhookconfigurations`, {
      metadata: { name },
      webhooks: webhooks.map((each) => ({
        clientConfig: {
          service: { namespace: "default", name: "hook", path: `/${String(each["name"])}` },
        },
        rules: [rule("configmaps")],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        ...each,
      })),
    });
    assert.equal(status, 201, JSON.stringify(body));
    return `${group}/${kind}webhookconfigurations/${name}`;
  }

  /** Operations, resources and subresources of the reviews since the last call. */
  seen(): readonly string[] {
    return this.reviews.splice(0).map((review) => {
      const { operation, resource, subResource } = review["request"] as JsonObject;
      const sub = subResource ? `/${String(subResource)}` : "";
      return `${String(operation)} ${String(read(resource, "resource"))}${sub}`;
    });
  }
}

const rule = (resource: string, apiGroup = "", version = "*"): JsonObject => ({
  operations: ["*"],
  apiGroups: [apiGroup],
  apiVersions: [version],
  resources: [resource],
});

const configMap = (name: string, fields: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...fields,
});

const patchOf = (...operations: readonly JsonObject[]): JsonObject => ({
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

const container = { name: "a", image: "i" };

const addData = (key: string, value: string): JsonObject =>
  patchOf({ op: "add", path: `/data/${key}`, value });

describe("the review", () => {
  test("says what is asked, by whom, with which objects", async (t) => {
    const server = new Server(t);
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
    const server = new Server(t);
    const admissionReviewVersions = ["v2", "v1beta1", "v1"];
    await server.register("validating", { name: "a.x.io", admissionReviewVersions });
    assert.equal((await server.ask("POST", configMaps, configMap("a"))).status, 201);
    assert.equal(server.reviews[0]!["apiVersion"], "admission.k8s.io/v1beta1");
  });

  test("has objects in the version that a rule names", async (t) => {
    const server = new Server(t);
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

describe("writes", () => {
  test("of all kinds pass, the configuration of admission does not", async (t) => {
    const server = new Server(t);
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
    const server = new Server(t);
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
    const server = new Server(t);
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
    const server = new Server(t);
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
    const server = new Server(t);
    const rules = [rule("*", "authorization.k8s.io")];
    await server.register("validating", { name: "a.x.io", rules });
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const spec = { resourceAttributes: { verb: "get", resource: "pods" } };
    assert.equal((await server.ask("POST", path, { spec })).status, 201);
    server.judge = () => ({ allowed: false });
    assert.equal((await server.ask("POST", path, { spec })).status, 400);
  });

  test("that delete a pod state its grace period, and are asked twice if it is none", async (t) => {
    const server = new Server(t);
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
    const server = new Server(t);
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

describe("a refusal", () => {
  test("has the status that the webhook gives", async (t) => {
    const server = new Server(t);
    await server.register("validating", { name: "a.x.io" });
    const refused = async (response: JsonObject): Promise<Answer> => {
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
    const server = new Server(t);
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
    const server = new Server(t);
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
    const over = "Timeout: request did not complete within requested timeout";
    assert.deepEqual(await asked("?timeout=2s"), [504, `${over} - context deadline exceeded`]);
    const ignore = [{ op: "replace", path: "/webhooks/0/failurePolicy", value: "Ignore" }];
    await server.ask("PATCH", path, ignore, "application/json-patch+json");
    assert.deepEqual((await asked("?timeout=2s"))[0], 504);
    assert.deepEqual((await asked(""))[0], 201);
  });

  test("of a dry run that the webhook would take for real", async (t) => {
    const server = new Server(t);
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

describe("a patch", () => {
  test("changes the object for the next webhook and for storage", async (t) => {
    const server = new Server(t);
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
    const server = new Server(t);
    await server.register("mutating", { name: "a.x.io", rules: [rule("services")] });
    const services = "/api/v1/namespaces/default/services";
    const create = async (...operations: readonly JsonObject[]): Promise<Answer> => {
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

  test("is seen by webhooks of other versions, back and forth", async (t) => {
    const server = new Server(t);
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
    const server = new Server(t);
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
    const server = new Server(t);
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
    const server = new Server(t);
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
