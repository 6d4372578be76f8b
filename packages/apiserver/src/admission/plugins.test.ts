import assert from "node:assert/strict";
import { test } from "node:test";
import { isApiStatusError, type JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import type { ServedResource } from "../apimachinery/rest/served-resource.ts";
import { createWebhookClient } from "../webhook-client/webhook-client.ts";
import { choiceFaults, configurationFaults, createPlugins, type PluginChoice } from "./plugins.ts";

type Stored = Readonly<Record<string, readonly JsonObject[]>>;

const meta = (object: JsonObject): JsonObject => object["metadata"] as JsonObject;
const spec = (object: JsonObject): JsonObject => object["spec"] as JsonObject;
const allowed = { allowed: true, reason: "" };

interface Wanted extends Partial<Omit<AdmissionRequest, "resource">> {
  readonly resource?: string;
  readonly group?: string;
}

/** Sends one write through the plug-ins over these stored objects; gives the refusal. */
async function admit(
  wanted: Wanted,
  stored: Stored = {},
  choice: PluginChoice = { disable: ["ServiceAccount", "NamespaceLifecycle"] },
): Promise<string | undefined> {
  const runtime = createVirtualRuntime();
  const objects = {
    serves: () => true,
    find: ({ resource }: { readonly resource: string }, name: string) =>
      stored[resource]?.find((each) => meta(each)["name"] === name),
    isEmpty: ({ resource }: { readonly resource: string }) => !stored[resource]?.length,
    list: ({ resource }: { readonly resource: string }) => stored[resource] ?? [],
    read: async () => undefined,
    readAll: async () => [],
    watch: () => () => undefined,
  };
  const disable = [...(choice.disable ?? []), "PodSecurity"];
  const plugins = createPlugins(
    { ...choice, disable },
    {
      objects,
      catalog: { find: () => undefined, all: () => [], epoch: 0 },
      authorizer: ({ info }) => ({
        ...allowed,
        allowed: info.name !== "e.org/s" && info.name !== "e.org/*",
      }),
      runtime,
      webhookClient: createWebhookClient({ clock: runtime.clock, resolve: () => assert.fail() }),
      loopback: async () => ({ status: 200, object: {} }),
    },
  );
  const resource = {
    group: wanted.group ?? "",
    resource: wanted.resource ?? "pods",
    namespaced: true,
  } as ServedResource;
  const defaults = {
    operation: "CREATE",
    subresource: "",
    namespace: "home",
    name: "",
    requestName: "",
    old: undefined,
    object: undefined,
    user: { name: "ann", groups: [] },
    dryRun: false,
    options: {},
    warn() {},
  } as const;
  const request: AdmissionRequest = { ...defaults, ...wanted, resource, kind: resource };
  try {
    for (const { mutate } of plugins) await mutate?.(request);
    for (const { validate } of plugins) await validate?.(request);
    return undefined;
  } catch (error) {
    if (isApiStatusError(error)) return error.message;
    throw error;
  }
}

const pod = (fields: JsonObject = {}): JsonObject => ({
  metadata: { name: "web" },
  spec: { containers: [{ name: "a" }], ...fields },
});

test("a pod's priority comes from its class or the default class, or is zero", async () => {
  const plain = pod();
  assert.equal(await admit({ object: plain }), undefined);
  assert.deepEqual(
    [spec(plain)["priority"], spec(plain)["preemptionPolicy"]],
    [0, "PreemptLowerPriority"],
  );
  const stored = {
    priorityclasses: [
      { metadata: { name: "low" }, value: 7, preemptionPolicy: "Never", globalDefault: true },
    ],
  };
  const usual = pod();
  await admit({ object: usual }, stored);
  assert.deepEqual(
    [spec(usual)["priorityClassName"], spec(usual)["priority"], spec(usual)["preemptionPolicy"]],
    ["low", 7, "Never"],
  );
  assert.equal(
    await admit({ object: pod({ priorityClassName: "high" }) }),
    'pods "web" is forbidden: no PriorityClass with name high was found',
  );
  assert.match(
    (await admit({ object: pod({ priority: 9 }) }, stored))!,
    /the integer value of priority \(9\) must not be provided in pod spec; priority admission controller computed 7 from the given PriorityClass name/,
  );
  const second = { metadata: { name: "other" }, globalDefault: true };
  assert.match(
    (await admit(
      { group: "scheduling.k8s.io", resource: "priorityclasses", object: second },
      stored,
    ))!,
    /PriorityClass low is already marked as default. Only one default can exist/,
  );
});

test("an update that omits priority and preemption policy keeps them", async () => {
  const changed = pod();
  await admit({
    operation: "UPDATE",
    object: changed,
    old: pod({ priority: 5, preemptionPolicy: "Never" }),
  });
  assert.deepEqual([spec(changed)["priority"], spec(changed)["preemptionPolicy"]], [5, "Never"]);
});

test("pods tolerate unready and unreachable nodes for five minutes by default", async () => {
  const keys = async (tolerations: readonly JsonObject[]): Promise<unknown> => {
    const object = pod({ tolerations: [...tolerations] });
    await admit({ object });
    return (spec(object)["tolerations"] as JsonObject[]).map(
      (each) => `${String(each["key"] ?? "")} ${String(each["tolerationSeconds"] ?? "")}`,
    );
  };
  assert.deepEqual(await keys([]), [
    "node.kubernetes.io/not-ready 300",
    "node.kubernetes.io/unreachable 300",
  ]);
  assert.deepEqual(await keys([{ operator: "Exists" }]), [" "]);
  assert.deepEqual(
    await keys([
      { key: "node.kubernetes.io/not-ready", effect: "NoExecute", tolerationSeconds: 2 },
    ]),
    ["node.kubernetes.io/not-ready 2", "node.kubernetes.io/unreachable 300"],
  );
});

test("a runtime class must exist, and sets overhead, node selector and tolerations", async () => {
  const kept = {
    metadata: { name: "kata" },
    overhead: { podFixed: { cpu: "250m" } },
    scheduling: {
      nodeSelector: { runtime: "kata" },
      tolerations: [{ key: "kata", operator: "Exists" }],
    },
  };
  const stored = { runtimeclasses: [kept] };
  const object = pod({ runtimeClassName: "kata", nodeSelector: { disk: "ssd" } });
  assert.equal(await admit({ object }, stored), undefined);
  assert.deepEqual(
    [spec(object)["overhead"], spec(object)["nodeSelector"]],
    [{ cpu: "250m" }, { disk: "ssd", runtime: "kata" }],
  );
  assert.ok((spec(object)["tolerations"] as JsonObject[]).some((each) => each["key"] === "kata"));
  assert.equal(
    await admit({ object: pod({ runtimeClassName: "none" }) }),
    'pods "web" is forbidden: pod rejected: RuntimeClass "none" not found',
  );
  assert.equal(
    await admit({ object: pod({ runtimeClassName: "kata", overhead: { cpu: "0.25" } }) }, stored),
    undefined,
  );
  assert.match(
    (await admit({ object: pod({ runtimeClassName: "kata", overhead: { cpu: "1" } }) }, stored))!,
    /Pod's Overhead doesn't match RuntimeClass's defined Overhead/,
  );
  assert.match(
    (await admit({ object: pod({ overhead: { cpu: "1" } }) }))!,
    /Pod Overhead set without corresponding RuntimeClass defined Overhead/,
  );
  assert.match(
    (await admit(
      { object: pod({ runtimeClassName: "kata", nodeSelector: { runtime: "x" } }) },
      stored,
    ))!,
    /conflict: runtimeClass.scheduling.nodeSelector\[runtime\] = kata; pod.spec.nodeSelector\[runtime\] = x/,
  );
});

test("new nodes are tainted, claims get finalizers, and default classes apply", async () => {
  const node: JsonObject = { metadata: { name: "n" } };
  await admit({ resource: "nodes", object: node });
  assert.deepEqual(spec(node)["taints"], [
    { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
  ]);
  const marked = (name: string, annotation: string, creationTimestamp: string): JsonObject => ({
    metadata: { name, creationTimestamp, annotations: { [annotation]: "true" } },
  });
  const stored = {
    storageclasses: [
      marked("old", "storageclass.kubernetes.io/is-default-class", "2026-01-01T00:00:00Z"),
      marked("new", "storageclass.beta.kubernetes.io/is-default-class", "2026-01-02T00:00:00Z"),
    ],
    ingressclasses: [
      marked("nginx", "ingressclass.kubernetes.io/is-default-class", "2026-01-01T00:00:00Z"),
    ],
  };
  const claim: JsonObject = { metadata: { name: "c" }, spec: {} };
  await admit({ resource: "persistentvolumeclaims", object: claim }, stored);
  assert.deepEqual(
    [meta(claim)["finalizers"], spec(claim)["storageClassName"]],
    [["kubernetes.io/pvc-protection"], "new"],
  );
  const ingress: JsonObject = { metadata: { name: "i" }, spec: {} };
  await admit({ group: "networking.k8s.io", resource: "ingresses", object: ingress }, stored);
  assert.equal(spec(ingress)["ingressClassName"], "nginx");
});

test("a claim may grow when it is bound and its class allows expansion", async () => {
  const claim = (size: string, phase: string): JsonObject => ({
    metadata: { name: "c" },
    spec: { storageClassName: "fast", resources: { requests: { storage: size } } },
    status: { phase },
  });
  const grow = (phase: string, allows: boolean): Promise<string | undefined> =>
    admit(
      {
        resource: "persistentvolumeclaims",
        operation: "UPDATE",
        object: claim("2Gi", phase),
        old: claim("1Gi", phase),
      },
      { storageclasses: [{ metadata: { name: "fast" }, allowVolumeExpansion: allows }] },
    );
  assert.equal(await grow("Bound", true), undefined);
  assert.match(
    (await grow("Pending", true))!,
    /Only bound persistent volume claims can be expanded/,
  );
  assert.match(
    (await grow("Bound", false))!,
    /only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize/,
  );
});

test("approving and signing need permission for the signer or for its domain", async () => {
  const csr = (signerName: string, status: JsonObject = {}): JsonObject => ({
    metadata: { name: "r" },
    spec: { signerName },
    status,
  });
  const change = (subresource: string, signer: string): Promise<string | undefined> =>
    admit({
      group: "certificates.k8s.io",
      resource: "certificatesigningrequests",
      subresource,
      operation: "UPDATE",
      object: csr(signer, { certificate: "x" }),
      old: csr(signer),
    });
  assert.equal(await change("approval", "example.com/s"), undefined);
  assert.match(
    (await change("approval", "e.org/s"))!,
    /user not permitted to approve requests with signerName "e.org\/s"/,
  );
  assert.match(
    (await change("status", "e.org/s"))!,
    /user not permitted to sign requests with signerName "e.org\/s"/,
  );
});

test("a pod needs an existing service account, and gets its token", async () => {
  const choice = { disable: ["NamespaceLifecycle"] };
  const stored = {
    serviceaccounts: [{ metadata: { name: "robot" }, imagePullSecrets: [{ name: "pull" }] }],
  };
  const object = pod({ serviceAccountName: "robot" });
  assert.equal(await admit({ object }, stored, choice), undefined);
  const [volume] = spec(object)["volumes"] as JsonObject[];
  assert.match(String(volume?.["name"]), /^kube-api-access-[a-z0-9]{5}$/);
  assert.deepEqual((spec(object)["containers"] as JsonObject[])[0]?.["volumeMounts"], [
    {
      name: volume?.["name"],
      readOnly: true,
      mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
    },
  ]);
  assert.deepEqual(spec(object)["imagePullSecrets"], [{ name: "pull" }]);
  assert.equal(
    await admit({ object: pod({ serviceAccountName: "gone" }) }, {}, choice),
    'pods "web" is forbidden: error looking up service account home/gone: serviceaccount "gone" not found',
  );
});

test("plug-ins are chosen by name, and unknown names are refused", async () => {
  const service: JsonObject = { metadata: { name: "s" }, spec: { externalIPs: ["1.2.3.4"] } };
  assert.equal(await admit({ resource: "services", object: service }), undefined);
  assert.match(
    (await admit(
      { resource: "services", object: service },
      {},
      { enable: ["DenyServiceExternalIPs"], disable: ["NamespaceLifecycle"] },
    ))!,
    /Use of external IPs is denied by admission control/,
  );
  const [unknown, both, ...others] = choiceFaults({
    enable: ["Nope", "Priority"],
    disable: ["Priority"],
  });
  assert.deepEqual(
    [unknown?.option, both, others],
    [
      "admissionPlugins.enable",
      {
        option: "admissionPlugins.enable",
        problem: "expected each plug-in to be either enabled or disabled, got both for Priority",
      },
      [],
    ],
  );
  assert.match(
    unknown!.problem,
    /^expected admission plug-ins .*: any of .*Priority.*; got "Nope"$/,
  );
  assert.deepEqual(
    choiceFaults({ disable: ["Nope"] }).map(({ option }) => option),
    ["admissionPlugins.disable"],
  );
  assert.deepEqual(
    configurationFaults({ enable: ["ImagePolicyWebhook", "NodeRestriction", "Priority"] }),
    [
      {
        option: "admissionControlConfigFile",
        problem: 'couldn\'t init admission plugin "ImagePolicyWebhook": no config specified',
      },
    ],
  );
});
