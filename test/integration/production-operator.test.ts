// examples/web-app as in production: its generated manifests are applied without a warning, and two
// replicas, as processes, run on their service account's rights alone. The leader is killed and the
// other goes on. By the server's audit log, no right is refused, and none is granted in vain.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { PolicyRule } from "homeostat";
import { isStatusConditionTrue, type JsonObject, type Kind, type KubeObject } from "homeostat/api";
import { type Client, createClient } from "homeostat/client";
import { Deployment } from "homeostat/k8s/apps/v1";
import { ConfigMap, Event, Namespace, Secret, Service } from "homeostat/k8s/core/v1";
import { parseAllDocuments } from "yaml";
import { Dashboard } from "../../examples/web-app/resources/dashboard.ts";
import { WebApp } from "../../examples/web-app/resources/web-app.ts";
import { openAuditedServer } from "../fixtures/audited-server.ts";
import { startOperator, writeKubeconfig } from "../fixtures/operator-process.ts";
import { tokenOf } from "../fixtures/reader-token.ts";
import { grantedRights, refusedRequests, usedRights } from "../fixtures/rights.ts";
import { until } from "../fixtures/until.ts";
import { serverKinds } from "../fixtures/with-server.ts";

const pathOf = (path: string): string =>
  fileURLToPath(new URL(`../../examples/web-app/${path}`, import.meta.url));
const waiting = { timeoutMs: 30_000, everyMs: 50 };
const account = { namespace: "web-system", name: "web" };

for (const what of serverKinds().filter((one) => one !== "in-process"))
  test(`a production operator: ${what}`, { timeout: 180_000 }, async (t) => {
    const server = await openAuditedServer(what, "system:serviceaccount:web-system:web");
    t.after(() => server.close());
    const warned: string[] = [];
    const root = createClient({ access: server.access, fieldManager: "admin" });
    t.after(() => root.close());
    const manifests = ["crds.yaml", "operator.yaml"].flatMap(readManifests);
    await applyAll(root.with({ warned: (text) => void warned.push(text) }), manifests);
    assert.deepEqual(warned, []);

    const kubeconfig = join(folder(t), "kubeconfig");
    writeKubeconfig(kubeconfig, server.access, await tokenFor(root));
    await root.create(Namespace, Namespace("shop"));
    const admin = root.with({ namespace: "shop" });
    const reader = await tokenOf(admin, "prometheus", ["/metrics"]);
    const start = async () => {
      const replica = await startOperator(pathOf("main.ts"), kubeconfig);
      t.after(() => replica.end("SIGKILL"));
      await until(() => replica.isReady(), waiting);
      return replica;
    };
    const first = await start();
    await until(() => first.isLeader(reader));
    const second = await start();
    assert.equal(await second.isLeader(reader), false);

    await liveOneDay(admin);
    await first.end("SIGKILL");
    await admin.create(WebApp, WebApp("blog", { image: "blog:1" }));
    await until(() => second.isLeader(reader), waiting);
    await serve(admin, "blog");
    assert.equal(await second.end("SIGTERM"), 0, second.output());

    const refused = refusedRequests(server.events());
    assert.deepEqual(
      refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
      [],
    );
    const used = usedRights(server.events());
    const granted = grantedRights(permissionsOf(manifests));
    assert.deepEqual(granted, [...new Set(granted)], "no right is granted twice");
    assert.deepEqual(
      granted.filter((right) => !used.has(right) && !isReserve(right)),
      [],
      first.output() + second.output(),
    );
  });

/** A list where a server streams none into the watch; a read after a conflict. */
const isReserve = (right: string): boolean => /^(?:get|list) (?!coordination)/.test(right);

/**
 * A Secret comes late, goes and comes again; a name is taken by another's object; an upgrade leaves
 * children of other names.
 */
async function liveOneDay(admin: Client): Promise<void> {
  await admin.create(ConfigMap, ConfigMap("shop", {}));
  await admin.create(WebApp, WebApp("shop", { image: "shop:1", secret: "keys" }));
  for (const value of ["1", "2"]) {
    await until(async () => {
      const { conditions } = (await admin.get(WebApp, "shop")).status;
      return conditions?.some(({ reason }) => reason === "SecretMissing");
    });
    await admin.create(Secret, Secret("keys", { stringData: { A: value } }));
    if (value === "1") await untilRepeated(admin, "ERR_OWN_FOREIGN");
    await serve(admin, "shop");
    if (value === "1") await admin.delete(Secret, "keys");
  }
  await admin.create(Dashboard, Dashboard("all", { title: "All" }));
  await until(async () => (await admin.get(Dashboard, "all")).status.ready === 1);
  const labels = { app: "old" };
  const containers = [{ name: "app", image: "shop:0" }];
  const template = { metadata: { labels }, spec: { containers } };
  await leaveOld(admin, ConfigMap, { data: {} });
  await leaveOld(admin, Service, { spec: { ports: [{ port: 80 }] } });
  await leaveOld(admin, Deployment, { spec: { selector: { matchLabels: labels }, template } });
}

/** Awaits a second occurrence of that Event, then clears the way. */
async function untilRepeated(admin: Client, code: string): Promise<void> {
  await until(async () => {
    const { items } = await admin.list(Event);
    return items.some(({ message, count = 1 }) => message?.includes(code) && count > 1);
  }, waiting);
  await admin.delete(ConfigMap, "shop");
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

const readManifests = (name: string): readonly JsonObject[] =>
  parseAllDocuments(readFileSync(pathOf(`deploy/${name}`), "utf8")).map(
    (one) => one.toJS() as JsonObject,
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
  const rulesOf = (kind: string): PolicyRule[] =>
    manifests
      .filter((one) => one["kind"] === kind && isBound(one))
      .flatMap((one) => one["rules"] as unknown as PolicyRule[]);
  return { cluster: rulesOf("ClusterRole"), namespaces: { all: rulesOf("Role") } };
}

async function tokenFor(admin: Client): Promise<string> {
  const response = await admin.request({
    method: "POST",
    path: `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  return (response.json() as { status: { token: string } }).status.token;
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "production-operator-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}
