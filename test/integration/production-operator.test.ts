// examples/web-app as in production: its generated manifests are applied without a warning, and two
// replicas, as processes, run on the rights of their service account alone. The leader is killed,
// and the other goes on. By the audit log, no right is refused, and none is granted in vain: what
// is rare, such as a conflict, is provoked by a proxy before the leader.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { PolicyRule } from "homeostat";
import { isStatusConditionTrue, type JsonObject, type Kind, type KubeObject } from "homeostat/api";
import { type Client, type ClusterAccess, createClient } from "homeostat/client";
import { Deployment } from "homeostat/k8s/apps/v1";
import { Lease } from "homeostat/k8s/coordination/v1";
import { ConfigMap, Namespace, Secret, Service } from "homeostat/k8s/core/v1";
import { parseAllDocuments } from "yaml";
import { Dashboard } from "../../examples/web-app/resources/dashboard.ts";
import { WebApp } from "../../examples/web-app/resources/web-app.ts";
import { openAuditedServer } from "../fixtures/audited-server.ts";
import { startOperator, writeKubeconfig } from "../fixtures/operator-process.ts";
import { tokenOf } from "../fixtures/reader-token.ts";
import { assertExact, judgeRights } from "../fixtures/rights.ts";
import { openOperatorProxy } from "../fixtures/operator-proxy.ts";
import { createOccasions, type Occasions } from "../fixtures/stand-between.ts";
import { until } from "../fixtures/until.ts";
import { untilRepeated } from "../fixtures/until-repeated.ts";
import { serverKinds } from "../fixtures/with-server.ts";

const pathOf = (path: string): string =>
  fileURLToPath(new URL(`../../examples/web-app/${path}`, import.meta.url));
const command = fileURLToPath(new URL("../../packages/cli/bin/homeostat.js", import.meta.url));
const waiting = { timeoutMs: 20_000, everyMs: 50 };

for (const what of serverKinds().filter((one) => one !== "in-process"))
  test(`a production operator: ${what}`, { timeout: 180_000 }, async (t) => {
    const server = await openAuditedServer(what, "system:serviceaccount:web-system:web");
    t.after(() => server.close());
    const warned: string[] = [];
    const root = createClient({ access: server.access, fieldManager: "admin" });
    t.after(() => root.close());
    const manifests = readManifests(pathOf("deploy"));
    await applyAll(root.with({ warned: (text) => void warned.push(text) }), manifests);
    assert.deepEqual(warned, []);

    const token = await tokenFor(root, "web-system");
    const occasions = createOccasions();
    const proxy = await openOperatorProxy(server.access, { token, ...occasions });
    t.after(() => proxy.close());
    await root.create(Namespace, Namespace("shop"));
    const admin = root.with({ namespace: "shop" });
    const reader = await tokenOf(admin, "prometheus", ["/metrics"]);
    const start = async (access: Pick<ClusterAccess, "server"> & Partial<ClusterAccess>) => {
      const kubeconfig = join(folder(t), "kubeconfig");
      writeKubeconfig(kubeconfig, { ...access, namespace: "web-system" }, token);
      const replica = await startOperator(pathOf("main.ts"), kubeconfig);
      t.after(() => replica.end("SIGKILL"));
      await until(() => replica.isReady(), waiting).catch((error: unknown) => {
        throw new Error(replica.output(), { cause: error });
      });
      return replica;
    };
    const first = await start({ server: proxy.url });
    await until(() => first.isLeader(reader));
    const second = await start(server.access);
    assert.equal(await second.isLeader(reader), false);

    await liveOneDay(admin, occasions);
    await first.end("SIGKILL");
    await admin.create(WebApp, WebApp("blog", { image: "blog:1" }));
    await until(() => second.isLeader(reader), waiting);
    await serve(admin, "blog");
    assert.equal(await second.end("SIGTERM"), 0, second.output());
    assertExact(permissionsOf(manifests), server.events());
  });

for (const what of serverKinds().filter((one) => one !== "in-process"))
  test(`the same code in another namespace: ${what}`, { timeout: 120_000 }, async (t) => {
    const server = await openAuditedServer(what, "system:serviceaccount:apps:web");
    t.after(() => server.close());
    const root = createClient({ access: server.access, fieldManager: "admin" });
    t.after(() => root.close());
    const out = folder(t);
    const flags = ["--namespace", "apps", "--image", "web:1", "--output-dir", out];
    const generated = spawnSync(process.execPath, [
      command,
      "generate",
      pathOf("web.ts"),
      ...flags,
    ]);
    assert.equal(generated.status, 0, String(generated.stderr));
    await applyAll(root, readManifests(out));
    const kubeconfig = join(out, "kubeconfig");
    const access = { ...server.access, namespace: "apps" };
    writeKubeconfig(kubeconfig, access, await tokenFor(root, "apps"));
    const replica = await startOperator(pathOf("main.ts"), kubeconfig);
    t.after(() => replica.end("SIGKILL"));
    await until(() => replica.isReady(), waiting);
    const reader = await tokenOf(root, "prometheus", ["/metrics"]);
    await until(() => replica.isLeader(reader), waiting);
    assert.ok(await root.find(Lease, { name: "web", namespace: "apps" }));
    assert.equal(await replica.end("SIGTERM"), 0, replica.output());
    assert.deepEqual(judgeRights(permissionsOf(readManifests(out)), server.events()).refused, []);
  });

/**
 * Names are taken by another's objects; objects go while they are reconciled; a Secret comes late,
 * goes and comes again; an upgrade leaves children of other names.
 */
async function liveOneDay(admin: Client, occasions: Occasions): Promise<void> {
  await takeNames(admin, occasions);
  await goEarly(admin, occasions);
  await admin.create(WebApp, WebApp("shop", { image: "shop:1", secret: "keys" }));
  for (const value of ["1", "2"]) {
    await until(async () => {
      const { conditions } = (await admin.get(WebApp, "shop")).status;
      return conditions?.some(({ reason }) => reason === "SecretMissing");
    });
    await admin.create(Secret, Secret("keys", { stringData: { A: value } }));
    await serve(admin, "shop");
    if (value === "1") await admin.delete(Secret, "keys");
  }
  await admin.create(Dashboard, Dashboard("all", { title: "All" }));
  await until(async () => (await admin.get(Dashboard, "all")).status.ready === 2);
  await leaveOld(admin, ConfigMap, { data: {} });
  await leaveOld(admin, Service, { spec: { ports: [{ port: 80 }] } });
  await leaveOld(admin, Deployment, deploymentOf("old"));
  assert.deepEqual(occasions.left(), []);
}

/** Somebody creates an object a moment before the operator would. */
async function takeNames(admin: Client, { before }: Occasions): Promise<void> {
  const taken: readonly (readonly [Kind, string, JsonObject])[] = [
    [ConfigMap, "configmaps", { data: {} }],
    [Service, "services", { spec: { ports: [{ port: 80 }] } }],
    [Deployment, "deployments", deploymentOf("taken")],
  ];
  for (const [kind, resource, content] of taken) {
    before(new RegExp(`^PATCH .*/${resource}/taken\\?`), () =>
      admin.create(kind, { metadata: { name: "taken" }, ...content } as never),
    );
  }
  await admin.create(WebApp, WebApp("taken", { image: "taken:1" }));
  for (const [kind] of taken) {
    await untilRepeated(admin, `owning ${kind.kind}`);
    await admin.delete(kind, "taken");
  }
  await serve(admin, "taken");
}

/** Somebody deletes an object a moment before its status is written. */
async function goEarly(admin: Client, { before, left }: Occasions): Promise<void> {
  before(/^PATCH .*\/webapps\/early\/status\?/, () => admin.delete(WebApp, "early"));
  before(/^PATCH .*\/dashboards\/brief\/status\?/, () => admin.delete(Dashboard, "brief"));
  await admin.create(WebApp, WebApp("early", { image: "early:1" }));
  await admin.create(Dashboard, Dashboard("brief", { title: "Brief" }));
  await until(() => left().length === 0, waiting);
}

function deploymentOf(app: string): JsonObject {
  const labels = { app };
  const containers = [{ name: "app", image: `${app}:0` }];
  const template = { metadata: { labels }, spec: { containers } };
  return { spec: { selector: { matchLabels: labels }, template } };
}

/** A child that a former version of the operator has made goes. */
async function leaveOld(admin: Client, kind: Kind, content: JsonObject): Promise<void> {
  const { metadata } = (await admin.get(kind, "shop")) as KubeObject;
  const { ownerReferences } = metadata;
  const old = { ...content, metadata: { name: "old", ownerReferences } };
  await admin.apply(kind, old as never, { fieldManager: "web/webapp", force: true });
  await until(async () => (await admin.find(kind, "old")) === undefined);
}

/** Says, in place of kubelets, that the pods of an application run, until it is ready. */
async function serve(admin: Client, name: string): Promise<void> {
  await until(async () => {
    const deployment = await admin.find(Deployment, name);
    const { generation, resourceVersion } = deployment?.metadata ?? {};
    if (deployment && deployment.status.observedGeneration !== generation) {
      const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
      const status = { observedGeneration: generation, ...counts };
      const body = { metadata: { resourceVersion }, status };
      await admin.patch(Deployment, name, { type: "merge", body }, { subresource: "status" });
    }
    const { conditions } = (await admin.get(WebApp, name)).status;
    return isStatusConditionTrue(conditions, "Ready");
  }, waiting);
}

const readManifests = (path: string): readonly JsonObject[] =>
  ["crds.yaml", "operator.yaml"].flatMap((name) =>
    parseAllDocuments(readFileSync(join(path, name), "utf8")).map(
      (one) => one.toJS() as JsonObject,
    ),
  );

async function applyAll(admin: Client, manifests: readonly JsonObject[]): Promise<void> {
  for (const one of manifests) {
    const kind = await admin.kinds.byKind(String(one["apiVersion"]), String(one["kind"]));
    await admin.apply(kind, one as never);
  }
}

/** What the bound roles of manifests grant; that of metrics is for those who read them. */
function permissionsOf(manifests: readonly JsonObject[]) {
  const bound = new Set(
    manifests.map(({ roleRef }) => (roleRef as { readonly name?: string } | undefined)?.name),
  );
  const isBound = ({ metadata }: JsonObject): boolean =>
    bound.has((metadata as { readonly name: string }).name);
  const rolesOf = (kind: string): readonly JsonObject[] =>
    manifests.filter((one) => one["kind"] === kind && isBound(one));
  const rulesOf = ({ rules }: JsonObject) => rules as unknown as PolicyRule[];
  const namespaceOf = ({ metadata }: JsonObject) => (metadata as { namespace: string }).namespace;
  return {
    cluster: rolesOf("ClusterRole").flatMap(rulesOf),
    namespaces: Object.fromEntries(rolesOf("Role").map((one) => [namespaceOf(one), rulesOf(one)])),
  };
}

async function tokenFor(admin: Client, namespace: string): Promise<string> {
  const response = await admin.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/web/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  return (response.json() as { status: { token: string } }).status.token;
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "production-operator-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}
