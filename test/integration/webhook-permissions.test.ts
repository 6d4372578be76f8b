// The rights that webhooks ask for are those that they use, with each way of registration and each
// source of certificates.
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { createManager, installDefinitions, requiredPermissions, silentLog } from "homeostat";
import type { Client } from "homeostat/client";
import { ValidatingWebhookConfiguration } from "homeostat/k8s/admissionregistration/v1";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import { Namespace, Secret } from "homeostat/k8s/core/v1";
import { describeWebhooks, type WebhooksOptions } from "homeostat/webhook";
import { freePort } from "../fixtures/free-port.ts";
import { controllers, resources, serve } from "../fixtures/hooked-operator.ts";
import {
  assertExact,
  grant,
  heardServers,
  type HeardServer,
  openHeardServer,
} from "../fixtures/rights.ts";
import { createOccasions, standBetween } from "../fixtures/stand-between.ts";
import type { ServerKind } from "../fixtures/with-server.ts";
import { until } from "../fixtures/until.ts";

const operator = "shop";
const definition = "letters.letters.example.com";

interface Run extends HeardServer {
  readonly isReady: () => boolean;
}

interface Play {
  live(run: Run): Promise<void>;
  prepare?(admin: Client): Promise<void>;
}

/** Runs a manager on its rights alone through `live`, in which it has to use all of them. */
async function runsOnItsRights(
  t: TestContext,
  what: ServerKind,
  webhooks: WebhooksOptions,
  { live, prepare }: Play,
): Promise<void> {
  const server = await openHeardServer(t, what);
  const { admin, client, events } = server;
  await installDefinitions(admin, resources);
  await prepare?.(admin);
  const reports = { events: false };
  const options = { operator, controllers, webhooks, namespace: "default", reports };
  const permissions = requiredPermissions(options);
  await grant(admin, permissions);
  standBetween(client.transport, createOccasions());
  const manager = createManager({ ...options, client, log: silentLog });
  t.after(() => manager.stop());
  await manager.start();
  await live({ ...server, isReady: () => manager.readiness().ready });
  await manager.stop();
  assertExact(permissions, events());
}

/** What others do to webhooks, and how they are brought back. */
async function disturb({ admin, isReady }: Run): Promise<void> {
  await admin.delete(ValidatingWebhookConfiguration, operator);
  await until(() => admin.find(ValidatingWebhookConfiguration, operator));
  await spoilSecret(admin, "default");
  await until(async () => isReady());
}

/** Somebody overwrites the certificate; the operator restores it. */
async function spoilSecret(admin: Client, namespace: string): Promise<void> {
  const secret = { name: `${operator}-webhooks`, namespace };
  const data = { "tls.crt": "bm9uc2Vuc2U=" };
  await until(() => admin.find(Secret, secret));
  await admin.patch(Secret, secret, { type: "merge", body: { data } });
  await until(async () => (await admin.get(Secret, secret)).data?.["tls.crt"] !== data["tls.crt"]);
}

for (const what of heardServers)
  describe(`rights of webhooks: ${what}`, { timeout: 60_000 }, () => {
    test("that register themselves by URL", async (t) => {
      const url = `https://127.0.0.1:${await freePort()}`;
      await runsOnItsRights(t, what, { serve, url }, { live: disturb });
    });

    test("that are reached through a Service: nothing is deleted", async (t) => {
      const service = { name: "hooks", namespace: "elsewhere" };
      const webhooks = { serve, service, port: 0, drainMs: 0 };
      const prepare = async (admin: Client) =>
        void (await admin.create(Namespace, Namespace("elsewhere")));
      await runsOnItsRights(t, what, webhooks, {
        live: ({ admin }) => spoilSecret(admin, "elsewhere"),
        prepare,
      });
      const { cluster, namespaces } = requiredPermissions({ operator, controllers: [], webhooks });
      assert.ok(cluster.every(({ resourceNames }) => resourceNames?.length === 1));
      assert.deepEqual(Object.keys(namespaces), ["elsewhere"]);
    });

    test("that are registered by others: they write caBundles alone", async (t) => {
      const url = `https://127.0.0.1:${await freePort()}`;
      const webhooks = { serve, url, register: "inject" } as const;
      const prepare = async (admin: Client): Promise<void> => {
        const { configurations, conversions } = describeWebhooks(webhooks, { operator });
        for (const one of configurations)
          await admin.create(await kindOf(admin, one), one as never);
        for (const { spec, metadata } of conversions)
          await admin.patch(CustomResourceDefinition, metadata.name, {
            type: "merge",
            body: { spec } as never,
          });
      };
      const live = async ({ admin, isReady }: Run): Promise<void> => {
        await until(async () => isReady());
        const { spec } = await admin.get(CustomResourceDefinition, definition);
        assert.ok(spec.conversion?.webhook?.clientConfig?.caBundle);
        await spoilSecret(admin, "default");
      };
      await runsOnItsRights(t, what, webhooks, { live, prepare });
      const verbs = requiredPermissions({ operator, controllers: [], webhooks }).cluster;
      assert.deepEqual(
        verbs.map((rule) => rule.verbs),
        verbs.map(() => ["list", "watch", "patch"]),
      );
    });

    test("whose certificates are cert-manager's or files' write neither Secret nor caBundle", () => {
      const service = { name: "hooks", namespace: "shop" };
      const of = (more: Partial<WebhooksOptions>) =>
        requiredPermissions({ operator, controllers: [], webhooks: { serve, service, ...more } });
      const certificates = {
        from: "cert-manager",
        certificate: "shop/hooks",
        secret: "tls",
      } as const;
      const names = ["shop"];
      const configuration = (verbs: readonly string[]) => ({
        apiGroups: ["admissionregistration.k8s.io"],
        resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
        verbs,
        resourceNames: names,
      });
      const conversion = (verbs: readonly string[]) => ({
        apiGroups: ["apiextensions.k8s.io"],
        resources: ["customresourcedefinitions"],
        verbs,
        resourceNames: [definition],
      });
      const followed = ["list", "watch"];
      const secret = { apiGroups: [""], resources: ["secrets"], verbs: followed };
      assert.deepEqual(of({ certificates, register: "inject" }), {
        cluster: [configuration(followed), conversion(followed)],
        namespaces: { shop: [{ ...secret, resourceNames: ["tls"] }] },
      });
      const files = { from: "files", cert: "tls.crt", key: "tls.key" } as const;
      assert.deepEqual(of({ certificates: files, register: "inject" }).namespaces, {});
      assert.deepEqual(of({ certificates: { ...files, ca: "ca" }, register: "inject" }).cluster, [
        configuration([...followed, "patch"]),
        conversion([...followed, "patch"]),
      ]);
      assert.deepEqual(of({ certificates: files }).cluster, [
        configuration([...followed, "create", "patch"]),
        conversion([...followed, "patch"]),
      ]);
    });

    test("cannot be listed without the operator's name", () => {
      assert.throws(
        () =>
          requiredPermissions({
            controllers: [],
            webhooks: { serve, service: { name: "a", namespace: "b" } },
          }),
        { code: "ERR_PERMISSIONS_OPERATOR" },
      );
    });
  });

const kindOf = (admin: Client, { apiVersion, kind }: object & Record<string, unknown>) =>
  admin.kinds.byKind(String(apiVersion), String(kind));
