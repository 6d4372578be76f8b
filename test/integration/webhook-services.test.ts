// Webhooks that the API server calls by a Service: the operator registers the Service's name, the
// server finds its way there, and checks the certificate against `<name>.<namespace>.svc`. An
// ExternalName leads to loopback on every server, where endpoints must not.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { connect } from "node:tls";
import { createManager, defineController, defineResource, installDefinitions } from "homeostat";
import { isForbidden } from "homeostat/api";
import { startApiServer } from "@homeostat/apiserver";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import { ValidatingWebhookConfiguration } from "homeostat/k8s/admissionregistration/v1";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import { ConfigMap, Service } from "homeostat/k8s/core/v1";
import { defineConversion, defineValidatingWebhook, deny } from "homeostat/webhook";
import * as z from "zod";
import { freePort } from "../fixtures/free-port.ts";
import { recordLog } from "../fixtures/hear-manager.ts";
import { until } from "../fixtures/until.ts";
import { openServer, serverKinds } from "../fixtures/with-server.ts";
import { startReference } from "../../tools/reference/start-reference.ts";

const api = { group: `calls-${process.pid}.example.com`, kind: "Call" } as const;
const V1 = defineResource({ ...api, version: "v1", spec: z.object({ to: z.string() }) });
const V2 = defineResource({ ...api, version: "v2", spec: z.object({ to: z.array(z.string()) }) });
const versions = defineConversion(V1, V2, {
  up: ({ spec: { to } }) => ({ spec: { to: [to] } }),
  down: ({ spec: { to } }) => ({ spec: { to: to[0] ?? "" } }),
});
const rules = defineValidatingWebhook(V2, {
  create: ({ object }) => (object.spec.to.includes("nobody") ? deny("nobody answers") : undefined),
});
const nothing = defineController(ConfigMap, { name: "nothing", async reconcile() {} });

type End = () => Promise<unknown>;

/** What is to be done after a test, in order. */
function endsOf(t: TestContext): End[] {
  const ends: End[] = [];
  t.after(async () => {
    for (const end of ends) await end();
  });
  return ends;
}

interface Where {
  readonly port: number;
  readonly host?: string;
  readonly servicePort?: number;
}

/** Starts an operator whose webhooks are called by the Service `hooks` of its namespace. */
async function startOperator(
  ends: End[],
  client: Client,
  { port, host = "127.0.0.1", servicePort = port }: Where,
): Promise<void> {
  await installDefinitions(client, [V2, V1]);
  const { namespace } = client;
  const manager = createManager({
    operator: namespace,
    controllers: [nothing],
    client,
    namespace,
    log: recordLog().log,
    webhooks: {
      serve: [rules, versions],
      service: { name: "hooks", namespace, port: servicePort },
      port,
      host,
      drainMs: 0,
    },
  });
  ends.unshift(async () => {
    await manager.stop();
    await client.delete(ValidatingWebhookConfiguration, namespace);
    await client.delete(CustomResourceDefinition, `calls.${api.group}`);
  });
  await manager.start();
  assert.deepEqual(manager.readiness(), { ready: true, reasons: [] });
}

/** Reviews and conversions reach the operator. */
async function assertCalled(client: Client): Promise<void> {
  // A server follows its Services and configurations.
  await until(() =>
    client.create(V2, V2("two", { to: ["a"] })).then(
      () => true,
      () => false,
    ),
  );
  await assert.rejects(
    client.create(V2, V2("three", { to: ["nobody"] })),
    (error) => isForbidden(error) && /denied the request: nobody answers/.test(error.message),
  );
  await client.create(V1, V1("one", { to: "b" }));
  assert.deepEqual((await client.get(V2, "one")).spec, { to: ["b"] });
  assert.deepEqual((await client.get(V1, "two")).spec, { to: "a" });
}

/** Which of these names the certificate of a port serves, for who trusts the caBundle alone. */
async function servedNames(client: Client, port: number, names: readonly string[]) {
  const { webhooks } = await client.get(ValidatingWebhookConfiguration, client.namespace!);
  const ca = Buffer.from(webhooks![0]!.clientConfig.caBundle!, "base64").toString();
  const isServed = (servername: string): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", ca, servername });
      socket.once("secureConnect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
  const served = await Promise.all(names.map(isServed));
  return names.filter((_, index) => served[index]);
}

for (const what of serverKinds())
  test(`a Service with an external name: ${what}`, { timeout: 60_000 }, async (t) => {
    const server = await openServer(what);
    const ends = endsOf(t);
    ends.push(() => server.close());
    const client = await server.client();
    const { namespace } = client;
    const port = await freePort();
    for (const name of ["hooks", "other"])
      await client.create(Service, {
        metadata: { name },
        spec: { type: "ExternalName", externalName: "localhost" },
      });
    await startOperator(ends, client, { port });
    await assertCalled(client);
    const names = ["", `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`];
    const good = names.map((rest) => `hooks${rest}`);
    const bad = [`other.${namespace}.svc`, `hooks.kube-system.svc`, "localhost"];
    assert.deepEqual(await servedNames(client, port, [...good, ...bad]), good);
    // Another Service that leads to the same port is not what the certificate was issued for.
    await client.patch(ValidatingWebhookConfiguration, namespace!, {
      type: "json",
      body: [{ op: "replace", path: "/webhooks/0/clientConfig/service/name", value: "other" }],
    });
    const refused = new RegExp(
      `https://other\\.${namespace}\\.svc:${port}/.*certificate.* not other\\.${namespace}\\.svc`,
    );
    await until(() =>
      client.create(V2, V2("four", { to: ["c"] }), { dryRun: "All" }).then(
        () => false,
        (error: Error) => refused.test(error.message),
      ),
    );
  });

test("a Service of the server's table of local addresses", { skip: isReference() }, async (t) => {
  const port = await freePort();
  const serviceLocations = new Map([["default/hooks:443", { host: "127.0.0.1", port }]]);
  const server = await startApiServer({ listen: false, controllers: "none", serviceLocations });
  const client = createClient({ transport: server.transport(), namespace: "default" });
  const ends = endsOf(t);
  ends.push(
    () => client.close(),
    () => server.close(),
  );
  await startOperator(ends, client, { port, servicePort: 443 });
  await assertCalled(client);
});

test(
  "a Service with a cluster IP",
  { skip: !isReference() && "needs a real server" },
  async (t) => {
    // No kube-proxy leads from a cluster IP to the process: it listens on that address itself.
    const apiserverFlags = ["--service-cluster-ip-range=127.77.0.0/24"];
    const reference = await startReference({ apiserverFlags });
    const ends = endsOf(t);
    ends.push(() => reference.stop());
    const access = await loadKubeconfig({ path: reference.kubeconfigPath });
    const client = createClient({ access, namespace: "default" });
    ends.unshift(() => client.close());
    const port = await freePort();
    const { spec } = await client.create(Service, {
      metadata: { name: "hooks" },
      spec: { ports: [{ port }] },
    });
    assert.match(spec.clusterIP!, /^127\.77\.0\.\d+$/);
    await startOperator(ends, client, { port, host: spec.clusterIP! });
    await assertCalled(client);
  },
);

function isReference(): string | false {
  return serverKinds().includes("reference") ? "the real server has no such table" : false;
}
