import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import { isStream, wholeBody } from "../apimachinery/handler.ts";
import { createMemoryStore } from "../storage/memory-store.ts";
import type { Store } from "../storage/store.ts";
import {
  createControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
} from "../server/control-plane.ts";
import { hasExpired } from "./identity-lease-controller.ts";
import { serverId } from "./apiserver-identity.ts";

const user = { name: "ann", groups: ["system:masters"] };
let core: ControlPlane | undefined;
afterEach(async () => core?.close());

async function start(options: Partial<ControlPlaneOptions> = {}) {
  const runtime = createVirtualRuntime({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  const store = createMemoryStore();
  const server = (core = await createControlPlane({
    store,
    runtime,
    tokens: new Map(),
    ...options,
  }));
  const ask = async (
    method: string,
    path: string,
    body?: object,
  ): Promise<JsonObject & { readonly status?: unknown }> => {
    const headers = body ? { "content-type": "application/json" } : {};
    const answer = await server.handler({
      method,
      path,
      headers,
      body: Buffer.from(body ? JSON.stringify(body) : ""),
      user,
    });
    if (isStream(answer.body)) throw new Error(`${method} ${path}: expected one answer`);
    return JSON.parse(Buffer.from(wholeBody(answer.body)).toString()) as JsonObject;
  };
  return { ask, runtime, store };
}

/** Lets everything happen that waits for nothing but its turn. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await new Promise(setImmediate);
};

const definition = (versions: readonly string[], name = "foos"): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${name}.example.com` },
  spec: {
    group: "example.com",
    names: { plural: name, kind: name.toUpperCase() },
    scope: "Namespaced",
    versions: ["v1", "v2"].map((version) => ({
      name: version,
      served: versions.includes(version),
      storage: version === "v1",
      schema: { openAPIV3Schema: { type: "object" } },
    })),
  },
});
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const services = "/apis/apiregistration.k8s.io/v1/apiservices";

test("config maps of the server's own come back at once, its service when it is looked for again", async () => {
  const { ask, runtime } = await start();
  const trust = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  const before = await ask("GET", trust);
  await ask("DELETE", trust);
  await runtime.advance(0);
  await settle();
  const after = await ask("GET", trust);
  assert.equal(after["kind"], "ConfigMap");
  assert.notDeepEqual(after["metadata"], before["metadata"]);
  const service = "/api/v1/namespaces/default/services/kubernetes";
  const { spec } = await ask("GET", service);
  await runtime.advance(4000);
  await ask("DELETE", service);
  await runtime.advance(5999);
  await settle();
  assert.equal((await ask("GET", service))["code"], 404);
  await runtime.advance(1);
  await settle();
  assert.deepEqual((await ask("GET", service))["spec"], spec);
});

test("versions of definitions have their API services, as long as a definition serves them", async () => {
  const { ask } = await start();
  await ask("POST", definitions, definition(["v1", "v2"]));
  await settle();
  const first = await ask("GET", `${services}/v1.example.com`);
  assert.deepEqual(first["spec"], {
    group: "example.com",
    version: "v1",
    groupPriorityMinimum: 1000,
    versionPriority: 100,
  });
  assert.deepEqual((first["metadata"] as JsonObject)["labels"], {
    "kube-aggregator.kubernetes.io/automanaged": "true",
  });
  assert.equal((await ask("GET", `${services}/v2.example.com`))["kind"], "APIService");
  const found = await ask("GET", `${definitions}/foos.example.com`);
  await ask("PUT", `${definitions}/foos.example.com`, {
    ...found,
    spec: { ...(found["spec"] as object), ...(definition(["v1"]) as { spec: object }).spec },
  });
  await settle();
  assert.equal((await ask("GET", `${services}/v2.example.com`))["code"], 404);
  await ask("POST", definitions, definition(["v1"], "bars"));
  await ask("DELETE", `${definitions}/foos.example.com`);
  await settle();
  assert.equal((await ask("GET", `${services}/v1.example.com`))["kind"], "APIService");
  await ask("DELETE", `${definitions}/bars.example.com`);
  await settle();
  assert.equal((await ask("GET", `${services}/v1.example.com`))["code"], 404);
});

test("an API service that lost its label is restored after its deletion", async () => {
  const { ask } = await start();
  const path = `${services}/v1.example.com`;
  await ask("POST", definitions, definition(["v1"]));
  await settle();
  const found = await ask("GET", path);
  await ask("PUT", path, { ...found, metadata: { ...(found["metadata"] as object), labels: {} } });
  await ask("DELETE", path);
  await settle();
  assert.deepEqual((await ask("GET", path))["spec"], found["spec"]);
});

test("an API service that a user created first is not changed, and not deleted", async () => {
  const { ask } = await start();
  const path = `${services}/v1.example.com`;
  const spec = { group: "example.com", version: "v1", groupPriorityMinimum: 7, versionPriority: 7 };
  await ask("POST", services, {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1.example.com" },
    spec,
  });
  await ask("POST", definitions, definition(["v1"]));
  await settle();
  assert.deepEqual((await ask("GET", path))["spec"], spec);
  await ask("DELETE", `${definitions}/foos.example.com`);
  await settle();
  assert.deepEqual((await ask("GET", path))["spec"], spec);
});

test("repairs such API services, and leaves those of users alone", async () => {
  const { ask } = await start();
  await ask("POST", definitions, definition(["v1"]));
  await settle();
  const path = `${services}/v1.example.com`;
  await ask("DELETE", path);
  await settle();
  const found = await ask("GET", path);
  assert.equal(found["kind"], "APIService");
  await ask("PUT", path, { ...found, spec: { ...(found["spec"] as object), versionPriority: 7 } });
  await settle();
  const mended = await ask("GET", path);
  assert.equal((mended["spec"] as JsonObject)["versionPriority"], 100);
  await ask("PUT", path, {
    ...mended,
    metadata: { ...(mended["metadata"] as object), labels: {} },
    spec: { ...(mended["spec"] as object), versionPriority: 7 },
  });
  await settle();
  assert.equal(((await ask("GET", path))["spec"] as JsonObject)["versionPriority"], 7);
});

test("an API service behind a service says why it cannot be reached, and what has changed", async () => {
  const { ask } = await start();
  const spec = {
    group: "remote.example.com",
    version: "v1",
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace: "default", name: "remote" },
  };
  await ask("POST", services, {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1.remote.example.com" },
    spec,
  });
  const reason = async (): Promise<unknown> => {
    await settle();
    const { status } = await ask("GET", `${services}/v1.remote.example.com`);
    return (status as { readonly conditions?: readonly JsonObject[] }).conditions?.[0]?.["reason"];
  };
  assert.equal(await reason(), "ServiceNotFound");
  await ask("POST", "/api/v1/namespaces/default/services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "remote" },
    spec: { ports: [{ port: 443 }] },
  });
  assert.equal(await reason(), "EndpointsNotFound");
  await ask("DELETE", "/api/v1/namespaces/default/services/remote");
  assert.equal(await reason(), "ServiceNotFound");
});

test("services are watched only while an API service needs them", async () => {
  const store = createMemoryStore();
  let watches = 0;
  const since = store.since.bind(store);
  const counted: Store["since"] = (...given) => {
    const watch = since(...given);
    if (typeof watch !== "object") return watch;
    watches++;
    return { ...watch, stop: () => (watches--, watch.stop()) };
  };
  const { ask } = await start({ store: Object.assign(store, { since: counted }) });
  const before = watches;
  const named = (name: string): object => ({
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `v1.${name}` },
    spec: {
      group: name,
      version: "v1",
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { namespace: "default", name: "remote" },
    },
  });
  await ask("POST", services, named("a.example.com"));
  await ask("POST", services, named("b.example.com"));
  await settle();
  assert.equal(watches - before, 2, "of services and endpoint slices");
  await ask("DELETE", `${services}/v1.a.example.com`);
  await settle();
  assert.equal(watches - before, 2);
  await ask("DELETE", `${services}/v1.b.example.com`);
  await settle();
  assert.equal(watches - before, 0);
  await ask("POST", services, named("a.example.com"));
  await settle();
  await core?.close();
  assert.equal(watches, 0, "the server stops all of them");
});

test("a system object that a client has restored already is no failure", async () => {
  const warnings: string[] = [];
  const { ask, runtime } = await start({ warn: (message) => warnings.push(message) });
  const path = "/api/v1/namespaces/default/services";
  const { spec } = await ask("GET", `${path}/kubernetes`);
  await ask("DELETE", `${path}/kubernetes`);
  const made = await ask("POST", path, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kubernetes" },
    spec,
  });
  assert.equal(made["kind"], "Service");
  for (let interval = 0; interval < 15; interval++) {
    await runtime.advance(10_000);
    await settle();
  }
  assert.deepEqual(warnings, []);
});

test("the service kubernetes has endpoints at the advertised address, and gets them back", async () => {
  const address = { host: "127.0.0.1", port: 7443, hostname: "vm" };
  const endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
  const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
  const silent = await start({ address, advertiseAddress: "127.0.0.1" });
  await settle();
  assert.equal((await silent.ask("GET", endpoints))["code"], 404);
  const { ask, runtime } = await start({ address, advertiseAddress: "192.0.2.7" });
  await settle();
  const ports = [{ name: "https", port: 7443, protocol: "TCP" }];
  const subsets = [{ addresses: [{ ip: "192.0.2.7" }], ports }];
  assert.deepEqual((await ask("GET", endpoints))["subsets"], subsets);
  const slice = await ask("GET", `${slices}/kubernetes`);
  assert.deepEqual(slice["ports"], ports);
  assert.deepEqual((slice["metadata"] as JsonObject)["labels"], {
    "kubernetes.io/service-name": "kubernetes",
  });
  await ask("DELETE", endpoints);
  await ask("DELETE", `${slices}/kubernetes`);
  await runtime.advance(9999);
  await settle();
  assert.equal((await ask("GET", endpoints))["code"], 404);
  await runtime.advance(1);
  await settle();
  assert.deepEqual((await ask("GET", endpoints))["subsets"], subsets);
  assert.deepEqual((await ask("GET", `${slices}/kubernetes`))["endpoints"], [
    { addresses: ["192.0.2.7"], conditions: { ready: true } },
  ]);
});

test("a server that listens has a lease, renews it, and its service leads to its port", async () => {
  const { ask, runtime } = await start({
    address: { host: "127.0.0.1", port: 7443, hostname: "vm" },
  });
  const service = await ask("GET", "/api/v1/namespaces/default/services/kubernetes");
  assert.deepEqual((service["spec"] as JsonObject)["ports"], [
    { name: "https", protocol: "TCP", port: 443, targetPort: 7443 },
  ]);
  const path = `/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/${serverId("vm", "kube-apiserver")}`;
  await runtime.advance(0);
  await settle();
  const lease = await ask("GET", path);
  assert.deepEqual((lease["metadata"] as JsonObject)["labels"], {
    "apiserver.kubernetes.io/identity": "kube-apiserver",
    "kubernetes.io/hostname": "vm",
  });
  assert.deepEqual((lease["metadata"] as JsonObject)["annotations"], {
    "kubernetes.io/peer-advertise-address": "127.0.0.1:7443",
  });
  await runtime.advance(10_400);
  await settle();
  const renewed = (await ask("GET", path))["spec"] as JsonObject;
  assert.ok(String(renewed["renewTime"]) > String((lease["spec"] as JsonObject)["renewTime"]));
  assert.equal(renewed["holderIdentity"], (lease["spec"] as JsonObject)["holderIdentity"]);
});

test("names of servers are upstream's; a lease that is over, or says too little, is cleared away", () => {
  assert.equal(serverId("vm", "kube-apiserver"), "apiserver-wlv32tlttr4jl3gtroqexyxapa");
  const now = Date.parse("2026-01-01T02:00:00Z");
  const lease = (renewTime: string): JsonObject => ({
    spec: { renewTime, leaseDurationSeconds: 3600 },
  });
  assert.equal(hasExpired(lease("2026-01-01T01:00:01.000000Z"), now), false);
  assert.equal(hasExpired(lease("2026-01-01T00:59:59.000000Z"), now), true);
  assert.equal(hasExpired({ spec: { leaseDurationSeconds: 3600 } }, now), true);
});

test("a FlowSchema says whether its priority level exists", async () => {
  const { ask } = await start();
  const root = "/apis/flowcontrol.apiserver.k8s.io/v1";
  const dangling = async () => {
    await settle();
    const { status, metadata } = await ask("GET", `${root}/flowschemas/f`);
    const [condition] = (status as JsonObject)["conditions"] as JsonObject[];
    const owners = (metadata as JsonObject)["managedFields"] as JsonObject[];
    return [condition!["status"], condition!["reason"], owners[0]!["manager"]];
  };
  const manager = "api-priority-and-fairness-config-consumer-v1";
  await ask("POST", `${root}/flowschemas`, {
    metadata: { name: "f" },
    spec: { matchingPrecedence: 7, priorityLevelConfiguration: { name: "p" } },
  });
  assert.deepEqual(await dangling(), ["True", "NotFound", manager]);
  await ask("POST", `${root}/prioritylevelconfigurations`, {
    metadata: { name: "p" },
    spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } },
  });
  assert.deepEqual(await dangling(), ["False", "Found", manager]);
  await ask("DELETE", `${root}/prioritylevelconfigurations/p`);
  assert.deepEqual(await dangling(), ["True", "NotFound", manager]);
});

test("/metrics shares the seats of the server among its priority levels", async () => {
  await start();
  const path = "/metrics";
  const { body } = await core!.handler({
    method: "GET",
    path,
    headers: {},
    body: Buffer.of(),
    user,
  });
  const lines = Buffer.from(body as Uint8Array)
    .toString()
    .split("\n");
  const seats = lines.flatMap(
    (line) =>
      /^apiserver_flowcontrol_nominal_limit_seats\{priority_level="(.*)"\} (\d+)$/
        .exec(line)
        ?.slice(1) ?? [],
  );
  assert.deepEqual(seats.slice(0, 6), ["catch-all", "13", "exempt", "0", "global-default", "49"]);
});
