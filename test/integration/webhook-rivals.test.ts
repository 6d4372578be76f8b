// Webhooks beside other clients that write what is theirs: neither races the other, and what
// belongs to another client stays as it is.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ValidatingWebhookConfiguration } from "homeostat/k8s/admissionregistration/v1";
import { Secret } from "homeostat/k8s/core/v1";
import { defineValidatingWebhook } from "homeostat/webhook";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";
import { createWebhookManager } from "../fixtures/webhook-manager.ts";

const rules = defineValidatingWebhook(Box, { create() {} });
describeLaws("webhooks beside other clients", ({ client: open }) => {
  it("do not race another writer of their caBundle: they name it, slow down, and recover", async (t) => {
    const client = await open();
    const { manager, lines } = await createWebhookManager(t, client, { serve: [rules] });
    await manager.start();
    const name = client.namespace;
    const theirs = client.with({ fieldManager: "rival" });
    const bundleOf = async () =>
      (await client.get(ValidatingWebhookConfiguration, name)).webhooks?.[0]?.clientConfig.caBundle;
    const ours = await bundleOf();
    const value = Buffer.from("theirs").toString("base64");
    const body = [{ op: "replace", path: "/webhooks/0/clientConfig/caBundle", value }] as const;
    let rounds = 0;
    const warning = (line: string): boolean =>
      line.startsWith(
        `warn: rival changes the caBundle of ValidatingWebhookConfiguration ${name} `,
      );
    while (rounds < 30 && !lines.some(warning)) {
      await client.get(ValidatingWebhookConfiguration, name);
      await theirs.patch(ValidatingWebhookConfiguration, name, { type: "json", body });
      rounds++;
      await until(async () => lines.some(warning) || (await bundleOf()) === ours);
    }
    assert.ok(rounds <= 3, `${rounds} rounds until it is named`);
    await until(() => manager.readiness().reasons.some((one) => one.includes("caBundle")));
    await until(async () => (await bundleOf()) === ours);
    await until(() => manager.readiness().ready);
    const over = `info: ValidatingWebhookConfiguration ${name} is no longer changed back`;
    await until(() => lines.includes(over));
    assert.equal(lines.filter(warning).length, 1);
    await manager.stop();
  });

  it("leave a Secret alone that holds other data, and say so", async (t) => {
    const client = await open();
    const name = `${client.namespace}-webhooks`;
    const data = { password: Buffer.from("mine").toString("base64") };
    const secret = await client.create(Secret, { metadata: { name }, data });
    const { manager, lines } = await createWebhookManager(t, client, { serve: [rules] });
    const starting = manager.start();
    const said = (line: string): boolean =>
      line.includes("ERR_WEBHOOK_SECRET") && line.includes(`${client.namespace}/${name}`);
    await until(() => manager.readiness().reasons.some(said));
    assert.deepEqual(await client.get(Secret, name), secret);
    await client.update(Secret, { ...secret, data: {} });
    await starting;
    assert.equal(lines.filter(said).length, 1, lines.join("\n"));
    const own = await client.get(Secret, name);
    // What is ours stays so, whatever becomes of its data.
    await client.update(Secret, { ...own, data });
    await until(async () => (await client.get(Secret, name)).data?.["tls.crt"] !== undefined);
    await manager.stop();
  });
});
