import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { configured } from "../testdata/try-plugin.ts";
import { configurationFault } from "./configuration-fault.ts";

const fault = (plugin: string, value: JsonObject, kubeconfig?: Error): string | undefined => {
  const given = { ...configured(value), ...(kubeconfig ? { kubeconfig } : {}) };
  return configurationFault(plugin, given)?.replace(
    /^(?:couldn't init|failed to initialize) admission plugin "\w+": /,
    "",
  );
};
const noSuchFile = new Error("stat /nope: no such file or directory");

test("EventRateLimit needs limits with positive rates", () => {
  const plugin = "EventRateLimit";
  const head = {
    apiVersion: "eventratelimit.admission.k8s.io/v1alpha1",
    kind: "Configuration",
  };
  const of = (...limits: JsonObject[]) => fault(plugin, { ...head, limits });
  assert.equal(of({ type: "Server", qps: 1, burst: 1, cacheSize: -1, other: 1 }), undefined);
  assert.equal(
    of({ type: "Nope", qps: 0, burst: -1, cacheSize: -3 }, { type: "Namespace" }),
    '[limits[0].type: Unsupported value: "Nope": supported values: "Server", "Namespace", "User", "SourceAndObject", limits[0].burst: Invalid value: -1: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -3: must not be negative, limits[1].burst: Invalid value: 0: must be positive, limits[1].qps: Invalid value: 0: must be positive]',
  );
  assert.equal(
    of({ type: "Server", qps: "a" }),
    "json: cannot unmarshal string into Go struct field Limit.limits.qps of type int32",
  );
  assert.equal(
    of({ type: "Server", qps: 3e9 }),
    "json: cannot unmarshal number 3000000000 into Go struct field Limit.limits.qps of type int32",
  );
  assert.equal(
    configurationFault(plugin, undefined),
    'couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty',
  );
  assert.equal(
    fault(plugin, { kind: "Foo", apiVersion: "v1" }),
    'no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
  );
  assert.equal(
    fault(plugin, { kind: "Configuration" }),
    `Object 'apiVersion' is missing in '{"kind":"Configuration"}'`,
  );
});

test("ImagePolicyWebhook needs a kubeconfig and times in their ranges", () => {
  const of = (imagePolicy: JsonObject) => fault("ImagePolicyWebhook", { imagePolicy }, noSuchFile);
  assert.equal(of({ kubeConfigFile: "/nope" }), noSuchFile.message);
  assert.equal(of({ allowTTL: 100000 }), "valid value is between 1s and 30m0s, got 27h46m40s");
  assert.equal(of({ retryBackoff: 400000 }), "valid value is between 1ns and 5m0s, got 6m40s");
  assert.match(
    fault("ImagePolicyWebhook", { imagePolicy: {} })!,
    /^invalid configuration: no configuration has been provided/,
  );
});

test("PodTolerationRestriction needs valid tolerations", () => {
  const head = {
    apiVersion: "podtolerationrestriction.admission.k8s.io/v1alpha1",
    kind: "Configuration",
  };
  const plugin = "PodTolerationRestriction";
  assert.equal(fault(plugin, { ...head, default: [{ key: "a" }] }), undefined);
  assert.equal(
    fault(plugin, {
      ...head,
      default: [{ key: "a", operator: "Exists", value: "x" }],
      whitelist: [{ operator: "Foo" }],
    }),
    'invalid config: [podtolerationrestriction.default[0].operator: Invalid value: "x": value must be empty when `operator` is \'Exists\' podtolerationrestriction.whitelist[0].operator: Invalid value: "Foo": operator must be Exists when `key` is empty, which means "match all values and all keys" podtolerationrestriction.whitelist[0].operator: Unsupported value: "Foo": supported values: "Equal", "Exists"]',
  );
});

test("ResourceQuota needs the names of resources, and knows its fields", () => {
  const of = (value: JsonObject) =>
    fault("ResourceQuota", {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "ResourceQuotaConfiguration",
      ...value,
    });
  assert.equal(
    of({ limitedResources: [{}, { resource: "pods" }, { apiGroup: "apps" }] }),
    "[limitedResources[0].resource: Required value, limitedResources[2].resource: Required value]",
  );
  assert.equal(
    of({ foo: 1, limitedResources: [{ matchScopes: [{ bar: 1 }] }] }),
    'strict decoding error: unknown field "foo", unknown field "limitedResources[0].matchScopes[0].bar"',
  );
});

test("webhooks need an absolute path of a kubeconfig that exists", () => {
  const of = (value: JsonObject, kubeconfig?: Error) =>
    fault(
      "ValidatingAdmissionWebhook",
      {
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "WebhookAdmissionConfiguration",
        ...value,
      },
      kubeconfig,
    );
  assert.equal(of({}), undefined);
  assert.equal(
    of({ kubeConfigFile: "nope" }),
    'kubeConfigFile: Invalid value: "nope": must be an absolute file path',
  );
  assert.equal(of({ kubeConfigFile: "/nope" }, noSuchFile), noSuchFile.message);
  assert.match(of({ staticManifestsDir: "/a" })!, /^staticManifestsDir: Forbidden: /);
  assert.match(of({ kind: "WebhookAdmission" })!, /^no kind "WebhookAdmission" is registered/);
});

test("PodSecurity needs levels, versions and different names", () => {
  const of = (value: JsonObject) =>
    fault("PodSecurity", {
      apiVersion: "pod-security.admission.config.k8s.io/v1",
      kind: "PodSecurityConfiguration",
      ...value,
    });
  assert.equal(of({ defaults: { enforce: "baseline" } }), undefined);
  assert.equal(
    of({ defaults: { enforce: "foo", "warn-version": "v2" }, exemptions: { usernames: [""] } }),
    'PodSecurity configuration error: [enforce: must be one of privileged, baseline, restricted, warn-version: must be "latest" or "v1.x"]',
  );
  assert.equal(of({ foo: {} }), 'strict decoding error: unknown field "foo"');
  assert.equal(
    of({ exemptions: { usernames: ["a", "", "a"], namespaces: ["a", "a"] } }),
    'PodSecurity invalid: [exemptions.namespaces[1]: Duplicate value: "a", exemptions.usernames[1]: Invalid value: "": username must not be empty, exemptions.usernames[2]: Duplicate value: "a"]',
  );
});

test("what other plug-ins are given is not read", () => {
  assert.equal(fault("Priority", { a: 1 }), undefined);
  assert.equal(fault("PodNodeSelector", { podNodeSelectorPluginConfig: 3 }), undefined);
});
