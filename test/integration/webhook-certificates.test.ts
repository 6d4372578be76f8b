// Certificates of webhooks that others provide, and webhooks that others register late.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createManager, installDefinitions, silentLog } from "homeostat";
import type { Client } from "homeostat/client";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "homeostat/k8s/admissionregistration/v1";
import { Secret } from "homeostat/k8s/core/v1";
import { createSystemRuntime } from "homeostat/runtime";
import { describeWebhooks, type WebhooksOptions } from "homeostat/webhook";
import {
  createAuthority,
  issueServingCertificate,
} from "../../packages/homeostat/src/certificates/authority.ts";
import { freePort } from "../fixtures/free-port.ts";
import { getText } from "../fixtures/get-text.ts";
import { controllers, resources, serve } from "../fixtures/hooked-operator.ts";
import { until } from "../fixtures/until.ts";
import { openServer, serverKinds } from "../fixtures/with-server.ts";

const rules = serve.filter(({ type }) => type !== "conversion");
const runtime = createSystemRuntime();

const authority = createAuthority({ runtime });
const content = () => {
  const { cert, key } = issueServingCertificate(authority, { runtime, names: ["127.0.0.1"] });
  return { "tls.crt": cert, "tls.key": key, "ca.crt": authority.cert };
};
const serialOf = async (url: string) => (await getText(url).catch(() => undefined))?.serial;

function startManager(t: TestContext, client: Client, webhooks: WebhooksOptions) {
  const { namespace } = client;
  const options = { operator: namespace, controllers, client, namespace, log: silentLog };
  const manager = createManager({ ...options, webhooks });
  t.after(() => manager.stop());
  return { manager, started: manager.start() };
}

for (const what of serverKinds()) {
  test(`webhooks that others register later get their caBundle: ${what}`, async (t) => {
    const server = await openServer(what);
    t.after(() => server.close());
    const client = await server.client();
    await installDefinitions(client, resources);
    const url = `https://127.0.0.1:${await freePort()}`;
    const webhooks = { serve: rules, url, register: "inject" } as const;
    const { manager, started } = startManager(t, client, webhooks);
    await until(() => client.find(Secret, `${client.namespace}-webhooks`));
    assert.equal(manager.readiness().ready, false);
    const { configurations } = describeWebhooks(webhooks, { operator: client.namespace });
    const kinds = [MutatingWebhookConfiguration, ValidatingWebhookConfiguration];
    for (const [i, kind] of kinds.entries()) await client.create(kind, configurations[i] as never);
    await until(async () => manager.readiness().ready);
    await started;
    const { data } = await client.get(Secret, `${client.namespace}-webhooks`);
    const { webhooks: found } = await client.get(ValidatingWebhookConfiguration, client.namespace);
    assert.equal(found?.[0]?.clientConfig.caBundle, data?.["ca.crt"]);
    await manager.stop();
    for (const kind of kinds) await client.delete(kind, client.namespace);
  });

  test(`cert-manager's Secret is awaited, served and followed: ${what}`, async (t) => {
    const server = await openServer(what);
    t.after(() => server.close());
    const client = await server.client();
    await installDefinitions(client, resources);
    const { namespace } = client;
    const url = `https://127.0.0.1:${await freePort()}`;
    const certificate = `${namespace}/hooks`;
    const { manager, started } = startManager(t, client, {
      serve: rules,
      url,
      certificates: { from: "cert-manager", certificate, secret: "tls" },
    });
    const serial = () => serialOf(url);
    assert.equal(await serial(), undefined);
    await client.create(
      Secret,
      Secret("tls", { type: "kubernetes.io/tls", stringData: content() }),
    );
    const first = await until(serial);
    const { metadata } = await until(() => client.find(ValidatingWebhookConfiguration, namespace));
    assert.equal(metadata.annotations?.["cert-manager.io/inject-ca-from"], certificate);
    await client.patch(Secret, "tls", { type: "merge", body: { stringData: content() } });
    await until(async () => {
      const next = await serial();
      return next !== undefined && next !== first;
    });
    await manager.stop();
    await started.catch(() => {});
  });

  test(`mounted certificates are served and followed: ${what}`, async (t) => {
    const server = await openServer(what);
    t.after(() => server.close());
    const client = await server.client();
    await installDefinitions(client, resources);
    const folder = mkdtempSync(join(tmpdir(), "webhook-certificates-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const write = (): void => {
      for (const [name, text] of Object.entries(content())) writeFileSync(join(folder, name), text);
    };
    write();
    const url = `https://127.0.0.1:${await freePort()}`;
    const [cert, key, ca] = ["tls.crt", "tls.key", "ca.crt"].map((name) => join(folder, name));
    const certificates = { from: "files", cert: cert!, key: key!, ca: ca! } as const;
    const { manager, started } = startManager(t, client, { serve: rules, url, certificates });
    await started;
    assert.deepEqual(manager.readiness(), { ready: true, reasons: [] });
    const first = await serialOf(url);
    write();
    await until(async () => (await serialOf(url)) !== first);
    const { webhooks } = await client.get(ValidatingWebhookConfiguration, client.namespace);
    const bundle = Buffer.from(authority.cert).toString("base64");
    assert.equal(webhooks?.[0]?.clientConfig.caBundle, bundle);
    await manager.stop();
  });
}
