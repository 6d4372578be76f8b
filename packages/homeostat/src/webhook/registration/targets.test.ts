// What is registered with the API server, and which of it is changed where others have written.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import { defineMutatingWebhook, defineValidatingWebhook } from "../admission/define-webhook.ts";
import { Order } from "../admission/review.suite.ts";
import type { Conversion } from "../conversion/define-conversion.ts";
import { PlaceOfWebhooks } from "../place-of-webhooks.ts";
import type { WebhooksOptions } from "../webhooks-options.ts";
import { otherWriters } from "./other-writers.ts";
import { bundlePatch, encodeBundle } from "./target.ts";
import { targetsOf } from "./targets.ts";

const rules = defineValidatingWebhook(Order, {
  create() {},
  delete() {},
  resources: ["orders", "orders/scale"],
  timeoutSeconds: 3,
  failurePolicy: "Ignore",
  namespaceSelector: { matchLabels: { a: "b" } },
});
const more = defineValidatingWebhook(Order, { create() {}, path: "/more", name: "more.a.example" });
const defaults = defineMutatingWebhook(Order, { mutate() {}, sideEffects: "NoneOnDryRun" });
const group = "kitchen.example.com";
const conversion = (resource: string): Conversion =>
  ({ type: "conversion", group, kind: "Order", resource, steps: [] }) as unknown as Conversion;

const service = { name: "hooks", namespace: "kitchen" };

function targets(
  serve: WebhooksOptions["serve"],
  place: Partial<WebhooksOptions> = { service },
  annotations: Readonly<Record<string, string>> = {},
) {
  const options = { serve, ...place } as WebhooksOptions;
  return targetsOf(serve, { place: new PlaceOfWebhooks(options, "cook"), annotations });
}

const byUrl = { url: "https://10.0.0.1:9443" } as const;
const pem = "-----the bundle-----";
const caBundle = encodeBundle(pem);
const entry = (name: string, clientConfig: JsonObject): JsonObject => ({ name, clientConfig });

describe("a webhook configuration", () => {
  it("has all that its definitions say", () => {
    const [mutating, validating, ...others] = targets([rules, defaults, more]);
    assert.deepEqual(others, []);
    assert.equal(mutating!.kind.kind, "MutatingWebhookConfiguration");
    const { webhooks: defaulting } = mutating!.manifest(pem);
    assert.equal((defaulting as readonly JsonObject[])[0]!["sideEffects"], "NoneOnDryRun");
    const { webhooks, ...about } = validating!.manifest(pem);
    assert.deepEqual(about, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "cook" },
    });
    const [first, second] = webhooks as readonly JsonObject[];
    assert.deepEqual(first, {
      name: rules.name,
      admissionReviewVersions: ["v1"],
      clientConfig: { service: { ...service, port: 443, path: rules.path }, caBundle },
      rules: [
        {
          apiGroups: [group],
          apiVersions: ["v1"],
          operations: ["CREATE", "DELETE"],
          resources: ["orders", "orders/scale"],
          scope: "*",
        },
      ],
      sideEffects: "None",
      timeoutSeconds: 3,
      failurePolicy: "Ignore",
      namespaceSelector: { matchLabels: { a: "b" } },
    });
    assert.deepEqual([second!["name"], "path" in second!], ["more.a.example", false]);
  });

  it("leaves the caBundle to cert-manager, which it is told by an annotation", () => {
    const annotations = { "cert-manager.io/inject-ca-from": "n/c" };
    const [target] = targets([rules], { service: { ...service, port: 8443 } }, annotations);
    const { metadata, webhooks } = target!.manifest(undefined);
    assert.deepEqual(metadata, { name: "cook", annotations });
    assert.deepEqual((webhooks as readonly JsonObject[])[0]!["clientConfig"], {
      service: { ...service, port: 8443, path: rules.path },
    });
  });

  it("sets the caBundles that differ, of all entries, where they still are", () => {
    const [target] = targets([rules], byUrl);
    const object = {
      webhooks: [
        entry(rules.name, { caBundle }),
        entry("of.another.example", { caBundle: encodeBundle("theirs") }),
        entry("without.one.example", {}),
        { name: "without.config.example" },
      ],
    };
    const at = (i: number, name: string) => [
      { op: "test", path: `/webhooks/${i}/name`, value: name },
      { op: "add", path: `/webhooks/${i}/clientConfig/caBundle`, value: caBundle },
    ];
    assert.deepEqual(bundlePatch(target!, object, pem), [
      ...at(1, "of.another.example"),
      ...at(2, "without.one.example"),
      ...at(3, "without.config.example"),
    ]);
    assert.deepEqual(bundlePatch(target!, { webhooks: "none" }, pem), []);
  });

  it("names the webhooks that it lacks", () => {
    const [target] = targets([rules, more]);
    assert.equal(target!.fault({ webhooks: [entry(rules.name, {})] }), "lacks more.a.example");
    assert.equal(target!.fault({}), `lacks ${rules.name}, more.a.example`);
    const both = [entry("more.a.example", {}), entry(rules.name, {})];
    assert.equal(target!.fault({ webhooks: both }), undefined);
  });

  it("replaces addresses of the other form, and no others", () => {
    const url = `https://10.0.0.1:9443${rules.path}`;
    const [byName] = targets([rules]);
    const [byAddress] = targets([rules], byUrl);
    const ofService = { webhooks: [entry("a.b.c", {}), entry(rules.name, { service })] };
    const ofUrl = { webhooks: [entry(rules.name, { url })] };
    assert.deepEqual(byName!.readdress(ofService, pem), []);
    assert.deepEqual(byAddress!.readdress(ofUrl, pem), []);
    assert.deepEqual(byAddress!.readdress(ofService, pem), [
      { op: "test", path: "/webhooks/1/name", value: rules.name },
      { op: "replace", path: "/webhooks/1/clientConfig", value: { url, caBundle } },
    ]);
    const named = { service: { ...service, port: 443, path: rules.path } };
    assert.deepEqual(byName!.readdress(ofUrl, undefined), [
      { op: "test", path: "/webhooks/0/name", value: rules.name },
      { op: "replace", path: "/webhooks/0/clientConfig", value: named },
    ]);
  });
});

describe("the conversion of a definition", () => {
  const path = "/spec/conversion/webhook/clientConfig";
  const converted = (clientConfig: JsonObject, strategy = "Webhook"): JsonObject => ({
    spec: { conversion: { strategy, webhook: { clientConfig } } },
  });

  it("is one for each definition, whatever the number of its pairs", () => {
    const given = [conversion("orders"), conversion("orders"), conversion("meals"), rules];
    const [, ...definitions] = targets(given);
    assert.deepEqual(
      definitions.map(({ name }) => name),
      [`orders.${group}`, `meals.${group}`],
    );
    assert.deepEqual(definitions[0]!.manifest(pem), {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `orders.${group}` },
      spec: {
        conversion: {
          strategy: "Webhook",
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: { service: { ...service, port: 443, path: "/convert" }, caBundle },
          },
        },
      },
    });
  });

  it("is written where it is missing or has another caBundle or address", () => {
    const [byName] = targets([conversion("orders")]);
    const [byAddress] = targets([conversion("orders")], byUrl);
    assert.equal(byName!.fault(converted({}, "None")), "has no conversion webhook");
    assert.equal(byName!.fault({}), "has no conversion webhook");
    assert.equal(byName!.fault(converted({})), undefined);
    assert.deepEqual(bundlePatch(byName!, converted({ caBundle }), pem), []);
    assert.deepEqual(bundlePatch(byName!, converted({}, "None"), pem), []);
    assert.deepEqual(bundlePatch(byName!, converted({}), pem), [
      { op: "add", path: `${path}/caBundle`, value: caBundle },
    ]);
    assert.deepEqual(byName!.readdress(converted({ service }), pem), []);
    assert.deepEqual(byAddress!.readdress(converted({ service }, "None"), pem), []);
    const value = { url: "https://10.0.0.1:9443/convert", caBundle };
    assert.deepEqual(byAddress!.readdress(converted({ service }), pem), [
      { op: "replace", path, value },
    ]);
  });
});

it("those who write a caBundle are known by its managed fields", () => {
  const field = (manager: string, name: string): JsonObject => ({
    manager,
    fieldsV1: { "f:webhooks": { 'k:{"name":"a"}': { "f:clientConfig": { [name]: {} } } } },
  });
  const managedFields = [
    field("cook/webhooks", "f:caBundle"),
    field("rival", "f:caBundle"),
    field("rival", "f:caBundle"),
    field("kubectl", "f:url"),
    { manager: "bare" },
  ];
  assert.deepEqual(otherWriters({ metadata: { managedFields } }, "cook/webhooks"), ["rival"]);
  assert.deepEqual(otherWriters({ metadata: {} }, "cook/webhooks"), []);
  assert.deepEqual(otherWriters({}, "cook/webhooks"), []);
});
