// Plug-ins that are off by default, as their configurations tell them to decide.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import type { WebhookCall } from "../webhook-client/webhook-client.ts";
import type { PluginServices } from "./admission-plugin.ts";
import { createEventRateLimit } from "./event-rate-limit.ts";
import { createImagePolicyWebhook } from "./image-policy-webhook.ts";
import { createPodNodeSelector } from "./pod-node-selector.ts";
import { createPodTolerationRestriction } from "./pod-toleration-restriction.ts";
import { createResourceQuota } from "./resource-quota.ts";
import { configured, type Stored, tryPlugin, type Wanted } from "./testdata/try-plugin.ts";

const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const home = (annotations: JsonObject): Stored => ({
  namespaces: [{ metadata: { name: "home", annotations } }],
});
const prefix = "scheduler.alpha.kubernetes.io/";

test("events are refused beyond each rate", async () => {
  const runtime = createVirtualRuntime();
  const limits = [
    { type: "Namespace", qps: 1, burst: 2 },
    { type: "User", qps: 1, burst: 3 },
  ];
  const given = configured({
    apiVersion: "eventratelimit.admission.k8s.io/v1alpha1",
    kind: "Configuration",
    limits,
  });
  const plugin = createEventRateLimit({ runtime } as unknown as PluginServices, given);
  const send = async (namespace: string, more: Wanted = {}): Promise<string | undefined> => {
    const kind = { group: "", version: "v1", kind: "Event" };
    return (await tryPlugin(() => plugin, { namespace, kind, object: {}, ...more })).refusal;
  };
  assert.equal(await send("a", { dryRun: true }), undefined);
  assert.equal(await send("a"), undefined);
  assert.equal(await send("a"), undefined);
  assert.equal(await send("a"), "Too many requests: limit reached on type Namespace for key a");
  const group = { kind: { group: "events.k8s.io", version: "v1", kind: "Event" } };
  assert.equal(await send("b", group), "Too many requests: limit reached on type User for key ann");
  assert.equal(
    await send("a"),
    "Too many requests: [limit reached on type Namespace for key a, limit reached on type User for key ann]",
  );
  assert.equal(await send("a", { kind: { group: "", version: "v1", kind: "Pod" } }), undefined);
  await runtime.advance(1000);
  assert.equal(await send("a"), undefined);
});

test("events are counted by source and object in both groups", async () => {
  const given = configured({
    apiVersion: "eventratelimit.admission.k8s.io/v1alpha1",
    kind: "Configuration",
    limits: [{ type: "SourceAndObject", qps: 1, burst: 1, cacheSize: 1 }],
  });
  const plugin = createEventRateLimit(
    { runtime: createVirtualRuntime() } as unknown as PluginServices,
    given,
  );
  const send = async (object: JsonObject) => {
    const kind = { group: "", version: "v1", kind: "Event" };
    return (await tryPlugin(() => plugin, { kind, object })).refusal;
  };
  const about = { kind: "Pod", name: "a", namespace: "n" };
  const source = { component: "c", host: "h" };
  assert.equal(await send({ source, involvedObject: about }), undefined);
  assert.equal(
    await send({ deprecatedSource: source, regarding: about }),
    "Too many requests: limit reached on type SourceAndObject for key chPodna",
  );
  assert.equal(await send({ source }), undefined);
  assert.equal(await send({ source, involvedObject: about }), undefined, "forgotten meanwhile");
});

test("pods get and may have the tolerations of their namespace, or of the cluster", async () => {
  const given = configured({
    apiVersion: "podtolerationrestriction.admission.k8s.io/v1alpha1",
    kind: "Configuration",
    default: [{ key: "a", operator: "Exists" }],
    whitelist: [{ key: "a", operator: "Exists" }],
  });
  const attempt = async (object: JsonObject, annotations: JsonObject, more: Wanted = {}) => {
    const { refusal } = await tryPlugin(
      (services) => createPodTolerationRestriction(services, given),
      { object, ...more },
      home(annotations),
    );
    return refusal ?? (object["spec"] as JsonObject)["tolerations"];
  };
  const exists = (key: string) => ({ key, operator: "Exists" });
  const conflict = (scope: string) =>
    `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;
  assert.deepEqual(await attempt(pod(), {}), [exists("a")]);
  assert.equal(await attempt(pod({ tolerations: [exists("b")] }), {}), conflict("cluster"));
  const own = {
    [`${prefix}defaultTolerations`]: '[{"key":"b","operator":"Exists"}]',
    [`${prefix}tolerationsWhitelist`]: '[{"key":"b","operator":"Exists"}]',
  };
  assert.deepEqual(await attempt(pod(), own), [exists("b")]);
  assert.equal(await attempt(pod({ tolerations: [exists("a")] }), own), conflict("namespace"));
  assert.deepEqual(await attempt(pod(), own, { operation: "UPDATE" }), undefined);
  assert.equal(await attempt(pod(), own, { subresource: "status" }), undefined);
  const none = { [`${prefix}defaultTolerations`]: "", [`${prefix}tolerationsWhitelist`]: "" };
  const busy = { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] };
  assert.deepEqual(await attempt(pod(busy), none), [
    { ...exists("node.kubernetes.io/memory-pressure"), effect: "NoSchedule" },
  ]);
  const wrong = { [`${prefix}defaultTolerations`]: '[{"tolerationSeconds":"a"}]' };
  assert.equal(
    await attempt(pod(), wrong),
    "json: cannot unmarshal string into Go struct field Toleration.tolerationSeconds of type int64",
  );
});

test("node selectors have a default, and a list of what a namespace may select", async () => {
  const given = configured({
    podNodeSelectorPluginConfig: {
      clusterDefaultNodeSelector: "env=dev",
      home: "env=dev,disk=ssd",
    },
  });
  const attempt = async (nodeSelector: JsonObject, annotations: JsonObject = {}) => {
    const object = pod({ nodeSelector });
    const { refusal } = await tryPlugin(
      (services) => createPodNodeSelector(services, given),
      { object },
      home(annotations),
    );
    return refusal ?? (object["spec"] as JsonObject)["nodeSelector"];
  };
  const listed =
    'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist';
  assert.deepEqual(await attempt({ disk: "ssd" }), { env: "dev", disk: "ssd" });
  assert.equal(await attempt({ disk: "hdd" }), listed);
  assert.equal(await attempt({}, { [`${prefix}node-selector`]: "env=prod" }), listed);
});

test("what the configuration limits needs a quota", async () => {
  const given = configured({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "ResourceQuotaConfiguration",
    limitedResources: [
      { resource: "persistentvolumeclaims", matchContains: [".storageclass.storage.k8s.io/"] },
      {
        resource: "pods",
        matchScopes: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }],
      },
    ],
  });
  const attempt = async (wanted: Wanted, spec?: JsonObject) => {
    const hard = { pods: "9", "gold.storageclass.storage.k8s.io/requests.storage": "9Gi" };
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, "0"]));
    const quota = { metadata: { name: "q", namespace: "home" }, spec, status: { hard, used } };
    const { refusal } = await tryPlugin(
      (services) => createResourceQuota(services, given),
      wanted,
      spec ? { resourcequotas: [quota as JsonObject] } : {},
      { loopback: async () => ({ status: 200, object: {} }) },
    );
    return refusal;
  };
  const claim = (storageClassName: string): Wanted => ({
    resource: "persistentvolumeclaims",
    object: {
      metadata: { name: "c" },
      spec: { storageClassName, resources: { requests: { storage: "1Gi" } } },
    },
  });
  const uncovered = (names: string) =>
    `persistentvolumeclaims "c" is forbidden: insufficient quota to consume: ${names}`;
  const names = (name: string) =>
    ["persistentvolumeclaims", "requests.storage"]
      .map((what) => `${name}.storageclass.storage.k8s.io/${what}`)
      .join(",");
  assert.equal(await attempt(claim("gold")), uncovered(names("gold")));
  assert.equal(
    await attempt(claim("gold"), {}),
    uncovered("gold.storageclass.storage.k8s.io/persistentvolumeclaims"),
  );
  assert.equal(await attempt(claim("")), undefined);
  const high = { object: pod({ priorityClassName: "high" }) };
  const scopes = "insufficient quota to match these scopes: [{PriorityClass In [high]}]";
  assert.equal(await attempt(high), scopes);
  assert.equal(await attempt(high, {}), scopes);
  const selector = { matchExpressions: [{ scopeName: "PriorityClass", operator: "Exists" }] };
  assert.equal(await attempt(high, { scopeSelector: selector }), undefined);
  assert.equal(await attempt({ object: pod({ priorityClassName: "low" }) }), undefined);
});

test("the backend's word on images is kept for a time", async () => {
  const runtime = createVirtualRuntime();
  const calls: WebhookCall[] = [];
  const given = (defaultAllow: boolean) => ({
    ...configured({ imagePolicy: { kubeConfigFile: "/f", defaultAllow, denyTTL: 10 } }),
    kubeconfig: {
      users: new Map([["u", { headers: { authorization: "Bearer t" } }]]),
      currentUser: "u",
      currentCluster: { server: "https://images", skipsVerification: true },
    },
  });
  let status: JsonObject | undefined = {
    allowed: false,
    reason: "old",
    auditAnnotations: { scan: "1" },
  };
  const webhookClient: PluginServices["webhookClient"] = {
    close: () => undefined,
    async post(call) {
      calls.push(call);
      if (!status) throw new Error("no answer");
      return new TextEncoder().encode(JSON.stringify({ status }));
    },
  };
  const services = { runtime, webhookClient } as unknown as PluginServices;
  const plugin = createImagePolicyWebhook(services, given(false));
  let audited: readonly string[] = [];
  const send = async (image: string, by = plugin) => {
    const annotations = { "a.image-policy.k8s.io/b": "1", other: "2" };
    const object = pod({ containers: [{ name: "c", image }] }, { annotations });
    const texts: string[] = [];
    audited = texts;
    const audit = {
      annotate: (key: string, value: string) => void texts.push(`${key}=${value}`),
      addLatency: () => undefined,
    };
    return (await tryPlugin(() => by, { object, audit })).refusal;
  };
  const denied =
    'pods "p" is forbidden: image policy webhook backend denied one or more images: old';
  assert.equal(await send("a"), denied);
  assert.deepEqual(JSON.parse(calls[0]!.body)["spec"], {
    containers: [{ image: "a" }],
    annotations: { "a.image-policy.k8s.io/b": "1" },
    namespace: "home",
  });
  assert.equal(calls[0]!.access?.headers?.["authorization"], "Bearer t");
  assert.deepEqual(audited, ["imagepolicywebhook.image-policy.k8s.io/scan=1"]);
  status = { allowed: true };
  assert.equal(await send("a"), denied);
  assert.equal(calls.length, 1);
  assert.deepEqual(audited, ["imagepolicywebhook.image-policy.k8s.io/scan=1"], "kept, too");
  await runtime.advance(10_001);
  assert.equal(await send("a"), undefined);
  status = undefined;
  assert.equal(await send("b"), 'pods "p" is forbidden: no answer');
  assert.deepEqual(audited, []);
  assert.equal(await send("b", createImagePolicyWebhook(services, given(true))), undefined);
  assert.deepEqual(audited, ["imagepolicywebhook.image-policy.k8s.io/failed-open=true"]);
});
