import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { PluginServices } from "./admission-plugin.ts";
import { createResourceQuota } from "./resource-quota.ts";
import { tryPlugin, type Wanted } from "./testdata/try-plugin.ts";

type Amounts = Readonly<Record<string, string>>;

const quota = (hard: Amounts, used: Amounts, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: "q", namespace: "home", resourceVersion: "7" },
  spec: { hard, ...spec },
  status: { hard, used },
});

/** The refusal, and the usages that are entered. */
async function attempt(
  quotas: readonly JsonObject[],
  wanted: Wanted,
  answer: { readonly status: number; readonly object: JsonObject } = { status: 200, object: {} },
): Promise<{ readonly refusal: string | undefined; readonly entered: readonly unknown[] }> {
  const entered: unknown[] = [];
  const loopback: PluginServices["loopback"] = async (_, __, body) => {
    entered.push((body["status"] as JsonObject)["used"]);
    return answer;
  };
  const { refusal } = await tryPlugin(
    createResourceQuota,
    wanted,
    { resourcequotas: quotas },
    { loopback },
  );
  return { refusal, entered };
}

const container = (name: string, requests: JsonObject, limits: JsonObject = {}): JsonObject => ({
  name,
  resources: { requests, limits },
});
const pod = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: "p", ...metadata },
  spec: { containers: [], ...spec },
});
const stored = { resourceVersion: "3" };

test("what a write uses is entered, and refused where it exceeds the quota", async () => {
  const hard = { "requests.cpu": "1", pods: "5" };
  const object = pod({ containers: [container("a", { cpu: "300m" })] });
  assert.deepEqual(
    await attempt([quota(hard, { "requests.cpu": "500m", pods: "1" })], { object }),
    {
      refusal: undefined,
      entered: [{ "requests.cpu": "800m", pods: "2" }],
    },
  );
  assert.deepEqual(
    await attempt([quota(hard, { "requests.cpu": "800m", pods: "5" })], { object }),
    {
      refusal:
        'pods "p" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=300m, used: pods=5,requests.cpu=800m, limited: pods=5,requests.cpu=1',
      entered: [],
    },
  );
});

test("a dry run enters nothing, and a quota without usage refuses", async () => {
  const hard = { "count/leases.coordination.k8s.io": "1", secrets: "1" };
  const lease = { group: "coordination.k8s.io", resource: "leases", object: { metadata: {} } };
  const used = { "count/leases.coordination.k8s.io": "0", secrets: "0" };
  assert.deepEqual(await attempt([quota(hard, used)], { ...lease, dryRun: true }), {
    refusal: undefined,
    entered: [],
  });
  assert.equal(
    (await attempt([quota(hard, {})], { resource: "secrets", object: { metadata: { name: "s" } } }))
      .refusal,
    'secrets "s" is forbidden: status unknown for quota: q, resources: secrets',
  );
  const event = { resource: "events", object: { metadata: {} } };
  assert.deepEqual(await attempt([quota({ "count/events": "0" }, {})], event), {
    refusal: undefined,
    entered: [],
  });
});

test("containers must state what is limited, unless the pod does as a whole", async () => {
  const hard = { "limits.cpu": "1", memory: "1Gi" };
  const quotas = [quota(hard, { "limits.cpu": "0", memory: "0" })];
  const containers = [container("b", { memory: "1Mi" }), container("a", {}, { cpu: "1" })];
  assert.equal(
    (await attempt(quotas, { object: pod({ containers, initContainers: [{ name: "i" }] }) }))
      .refusal,
    'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: b,i; memory for: a,i',
  );
  const resources = { requests: { memory: "1Mi" } };
  assert.equal(
    (await attempt(quotas, { object: pod({ containers, resources }) })).refusal,
    undefined,
  );
});

test("of an update the difference counts", async () => {
  const quotas = [quota({ "services.nodeports": "3" }, { "services.nodeports": "2" })];
  const service = (ports: number): JsonObject => ({
    metadata: { name: "s", ...stored },
    spec: { type: "NodePort", ports: Array.from({ length: ports }, () => ({})) },
  });
  const update = (from: number, to: number) =>
    attempt(quotas, {
      resource: "services",
      operation: "UPDATE",
      object: service(to),
      old: service(from),
    });
  assert.deepEqual((await update(1, 2)).entered, [{ "services.nodeports": "3" }]);
  assert.deepEqual(await update(2, 1), { refusal: undefined, entered: [] });
  assert.equal(
    (await update(1, 3)).refusal,
    'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=2, limited: services.nodeports=3',
  );
  const config = { resource: "configmaps", operation: "UPDATE", object: {}, old: {} } as const;
  assert.deepEqual((await attempt([quota({ configmaps: "1" }, {})], config)).entered, []);
});

test("a quota counts what is in all of its scopes, and an update that brings a pod there", async () => {
  const scoped = (spec: JsonObject) => [quota({ pods: "1" }, { pods: "1" }, spec)];
  const isRefused = async (spec: JsonObject, wanted: Wanted) =>
    (await attempt(scoped(spec), wanted)).refusal !== undefined;
  const long = { object: pod({}) };
  const short = { object: pod({ activeDeadlineSeconds: 5 }) };
  assert.equal(await isRefused({ scopes: ["Terminating"] }, long), false);
  assert.equal(await isRefused({ scopes: ["Terminating"] }, short), true);
  assert.equal(await isRefused({ scopes: ["Terminating", "NotBestEffort"] }, short), false);
  const matchExpressions = [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }];
  const scopeSelector = { matchExpressions };
  assert.equal(await isRefused({ scopeSelector }, long), false);
  assert.equal(
    await isRefused({ scopeSelector }, { object: pod({ priorityClassName: "high" }) }),
    true,
  );
  const update = {
    operation: "UPDATE",
    old: pod({}, stored),
    object: pod({ activeDeadlineSeconds: 5 }, stored),
  } as const;
  assert.equal(await isRefused({ scopes: ["Terminating"] }, update), true);
  assert.equal(
    await isRefused({ scopes: ["Terminating"] }, { ...update, object: update.old }),
    false,
  );
});

test("the status of a claim is counted, and not refused", async () => {
  const claim = (storage: string): JsonObject => ({
    metadata: { name: "c", ...stored },
    spec: { resources: { requests: { storage: "1Gi" } } },
    status: { allocatedResources: { storage } },
  });
  const quotas = [quota({ "requests.storage": "1Gi" }, { "requests.storage": "1Gi" })];
  const wanted = {
    resource: "persistentvolumeclaims",
    operation: "UPDATE",
    subresource: "status",
    object: claim("3Gi"),
    old: claim("1Gi"),
  } as const;
  assert.deepEqual(await attempt(quotas, wanted), {
    refusal: undefined,
    entered: [{ "requests.storage": "3Gi" }],
  });
});

test("an update of the status is tried four times, then its error is the answer", async () => {
  const object = { kind: "Status", code: 409, reason: "Conflict", message: "modified" };
  const wanted = { resource: "secrets", object: { metadata: {} } };
  const { refusal, entered } = await attempt([quota({ secrets: "2" }, { secrets: "0" })], wanted, {
    status: 409,
    object,
  });
  assert.deepEqual([refusal, entered.length], ["modified", 4]);
});
