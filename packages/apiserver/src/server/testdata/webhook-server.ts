// A control plane with an admission webhook in this process, and short ways to register it and to
// see what it was asked.
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { encodeJsonBytes, isObject, type Json, type JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import type { Auditor } from "../../audit/open-audit.ts";
import type { Handler } from "../../apimachinery/handler.ts";
import { createTestPlane, type TestPlane } from "./test-plane.ts";

export type Verdict = JsonObject | string | undefined;
type Judge = (request: JsonObject, path: string) => Verdict | Promise<Verdict>;

export const group = "/apis/admissionregistration.k8s.io/v1";
export const configMaps = "/api/v1/namespaces/default/configmaps";
export const merge = "application/merge-patch+json";
const user = { name: "bob", groups: ["system:masters"], uid: "7", extra: { b: ["2"], a: ["1"] } };

export const read = (
  value: Json | undefined,
  ...path: readonly (string | number)[]
): Json | undefined =>
  path.reduce<Json | undefined>((at, key) => (at as Record<string, Json> | null)?.[key], value);

/** A control plane with one webhook, `default/hook`, that remembers its reviews. */
export class WebhookServer {
  readonly reviews: JsonObject[] = [];
  readonly runtime = createVirtualRuntime();
  /** What the webhook answers in `response`; a text is the whole body. Default: allowed. */
  judge: Judge = () => undefined;
  /** Records the requests that follow. */
  auditor: Auditor | undefined;
  readonly #plane: Promise<TestPlane>;

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
    this.#plane = createTestPlane({
      runtime: this.runtime,
      user,
      serviceLocations: new Map([["default/hook", hook]]),
      audit: (request) => this.auditor?.(request),
    });
    t.after(async () => await (await this.#plane).close());
  }

  async ask(...request: Parameters<TestPlane["ask"]>): ReturnType<TestPlane["ask"]> {
    return await (await this.#plane).ask(...request);
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

export const rule = (resource: string, apiGroup = "", version = "*"): JsonObject => ({
  operations: ["*"],
  apiGroups: [apiGroup],
  apiVersions: [version],
  resources: [resource],
});

export const configMap = (name: string, fields: JsonObject = {}): JsonObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  ...fields,
});

export const patchOf = (...operations: readonly JsonObject[]): JsonObject => ({
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

export const container = { name: "a", image: "i" };

export const addData = (key: string, value: string): JsonObject =>
  patchOf({ op: "add", path: `/data/${key}`, value });
