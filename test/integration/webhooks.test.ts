// Webhooks of an operator from a definition to the answer of the API server: their certificates,
// their registration, and what becomes of writes.
import assert from "node:assert/strict";
import { after, describe, it, type TestContext } from "node:test";
import { defineResource, installDefinitions } from "homeostat";
import { isInvalid, isForbidden } from "homeostat/api";
import type { Client } from "homeostat/client";
import { createSystemRuntime, type Runtime } from "homeostat/runtime";
import { ValidatingWebhookConfiguration } from "homeostat/k8s/admissionregistration/v1";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import { Secret } from "homeostat/k8s/core/v1";
import {
  defineConversion,
  defineMutatingWebhook,
  defineValidatingWebhook,
  deny,
  invalid,
  type WebhooksOptions,
} from "homeostat/webhook";
import * as z from "zod";
import { freePort } from "../fixtures/free-port.ts";
import { until } from "../fixtures/until.ts";
import { createWebhookManager } from "../fixtures/webhook-manager.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const group = `hooks-${process.pid}.example.com`;
const status = z.object({ done: z.int() });
const V1 = defineResource({
  group,
  version: "v1",
  kind: "Errand",
  spec: z.object({ place: z.string(), tip: z.int().optional() }),
  status,
});
const V2 = defineResource({
  group,
  version: "v2",
  kind: "Errand",
  spec: z.object({ places: z.array(z.string()), tip: z.int().optional() }),
  status,
});

const versions = defineConversion(V1, V2, {
  up: ({ spec: { place, ...spec } }) => ({ spec: { ...spec, places: [place] } }),
  down: ({ spec: { places, ...spec } }) => {
    if (places.length !== 1) throw new Error(`v1 has one place, not ${places.length}`);
    return { spec: { ...spec, place: places[0]! } };
  },
});
const defaults = defineMutatingWebhook(V2, {
  mutate({ object }) {
    object.spec.tip ??= 1;
  },
});
const rules = defineValidatingWebhook(V2, {
  create({ object, request, warn, annotate }) {
    annotate("user", request.userInfo.username ?? "");
    if (object.spec.places.includes("moon")) throw new Error("out of\nfuel");
    if (object.spec.places.includes("far")) warn("this may take long");
    if (object.spec.places.length === 0)
      return invalid({ field: "spec.places", message: "expected at least one" });
    return request.dryRun ? deny("not even dry") : undefined;
  },
  update: ({ object, old }) =>
    (object.spec.tip ?? 0) < (old.spec.tip ?? 0) ? deny("tips never fall") : undefined,
  delete: ({ object }) => (object.spec.tip === 7 ? deny("a lucky one") : undefined),
});

async function startManager(
  test: TestContext,
  client: Client,
  webhooks: Partial<WebhooksOptions> = {},
  runtime: Runtime = createSystemRuntime(),
) {
  const served = { serve: [defaults, rules, versions], ...webhooks };
  const options = { runtime, allowReplicas: true };
  const created = await createWebhookManager(test, client, served, options);
  await created.manager.start();
  return created;
}

const errand = (name: string, places: string[], more: object = {}) => V2(name, { places, ...more });

for (const what of serverKinds())
  describe(`webhooks on ${what}`, () => {
    let server: TestServer;
    const open = async (): Promise<Client> => {
      server ??= await openServer(what);
      const client = await server.client();
      await installDefinitions(client, [V2, V1]);
      return client;
    };
    after(async () => await server?.close());

    it("change, accept, refuse and warn; a dry run is known", async (t) => {
      const client = await open();
      const { manager } = await startManager(t, client);
      const warnings: string[] = [];
      const user = client.with({ warned: (text) => void warnings.push(text) });
      assert.deepEqual(manager.readiness(), { ready: true, reasons: [] });
      const made = await user.create(V2, errand("a", ["far"]));
      assert.equal(made.spec.tip, 1);
      assert.deepEqual(warnings, ["this may take long"]);
      await assert.rejects(user.create(V2, errand("b", [])), (error: Error) => {
        assert.ok(isInvalid(error));
        assert.match(
          error.message,
          /admission webhook "validate\.errands\.v2\..*" denied the request: Errand\..* "b" is invalid: spec\.places: expected at least one/,
        );
        assert.deepEqual(error.status.details?.causes, [
          { reason: "FieldValueInvalid", message: "expected at least one", field: "spec.places" },
        ]);
        return true;
      });
      await assert.rejects(user.create(V2, errand("b", ["x"]), { dryRun: "All" }), (error) => {
        return isForbidden(error) && /denied the request: not even dry/.test(error.message);
      });
      await assert.rejects(
        user.update(V2, { ...made, spec: { places: ["x"], tip: 0 } }),
        /tips never fall/,
      );
      await user.create(V2, errand("lucky", ["x"], { tip: 7 }));
      await assert.rejects(user.delete(V2, "lucky"), /a lucky one/);
      await user.delete(V2, "a");
      await manager.stop();
      assert.equal(await client.find(ValidatingWebhookConfiguration, client.namespace), undefined);
    });

    it("that throw fail in one line; the process goes on", async (t) => {
      const client = await open();
      const { manager, lines, places } = await startManager(t, client);
      await assert.rejects(client.create(V2, errand("a", ["moon"])), (error: Error) => {
        assert.match(error.message, /failed calling webhook "validate\.errands\.v2\..*out of fuel/);
        return true;
      });
      assert.equal(lines.filter((line) => line.includes("out of\nfuel")).length, 1);
      assert.match(places.join(), /^test\/integration\/webhooks\.test\.ts:\d+:\d+$/);
      await client.create(V2, errand("b", ["x"]));
      await manager.stop();
    });

    it("convert both ways, in lists too; an object that cannot be converted is named", async (t) => {
      const client = await open();
      const { manager } = await startManager(t, client);
      await client.create(V1, V1("one", { place: "here" }));
      assert.deepEqual((await client.get(V2, "one")).spec, { places: ["here"], tip: 1 });
      await client.create(V2, errand("two", ["there"]));
      const inNamespace = { namespace: client.namespace };
      const { items } = await client.list(V1, inNamespace);
      assert.deepEqual(
        items.map(({ spec }) => spec.place),
        ["here", "there"],
      );
      await client.create(V2, errand("three", ["p", "q"]));
      await assert.rejects(
        client.get(V1, "three"),
        new RegExp(
          `converting Errand ${client.namespace}/three from ${group}/v2 to ${group}/v1: v1 has one place, not 2`,
        ),
      );
      await manager.stop();
    });

    it("keep their caBundles and their Secret, whatever others do to them", async (t) => {
      const client = await open();
      const { manager } = await startManager(t, client);
      const name = client.namespace;
      const secret = `${name}-webhooks`;
      const bundleOf = async () =>
        (await client.get(ValidatingWebhookConfiguration, name)).webhooks?.[0]?.clientConfig
          .caBundle;
      const before = await bundleOf();
      await client.patch(ValidatingWebhookConfiguration, name, {
        type: "json",
        body: [{ op: "replace", path: "/webhooks/0/clientConfig/caBundle", value: "" }],
      });
      await until(async () => (await bundleOf()) === before);
      const definition = `errands.${group}`;
      await client.patch(CustomResourceDefinition, definition, {
        type: "merge",
        body: { spec: { conversion: { strategy: "None", webhook: null } } },
      });
      await until(async () => {
        const { spec } = await client.get(CustomResourceDefinition, definition);
        return spec.conversion?.strategy === "Webhook";
      });
      await client.delete(Secret, secret);
      await until(async () => await client.find(Secret, secret));
      const nonsense = Buffer.from("nonsense").toString("base64");
      const data = { "authority.key": nonsense, "tls.crt": nonsense };
      await client.patch(Secret, secret, { type: "merge", body: { data } });
      await until(async () => (await client.get(Secret, secret)).data?.["tls.crt"] !== nonsense);
      assert.equal(await bundleOf(), before, "restored from memory");
      await until(async () => manager.readiness().ready);
      await client.create(V2, errand("a", ["x"]));
      await manager.stop();
    });

    it("replace a Service that a definition and a configuration name by the URL", async (t) => {
      const client = await open();
      const definition = `errands.${group}`;
      const service = { name: "other", namespace: "default", path: "/convert", port: 443 };
      const clientConfig = { service, url: null, caBundle: null };
      const webhook = { conversionReviewVersions: ["v1"], clientConfig };
      await client.patch(
        CustomResourceDefinition,
        definition,
        { type: "merge", body: { spec: { conversion: { strategy: "Webhook", webhook } } } },
        { fieldManager: "kubectl" },
      );
      const name = rules.name;
      await client.apply(
        ValidatingWebhookConfiguration,
        {
          metadata: { name: client.namespace },
          webhooks: [
            {
              name,
              admissionReviewVersions: ["v1"],
              sideEffects: "None",
              clientConfig: { service },
            },
          ],
        } as never,
        { force: true, fieldManager: "kubectl" },
      );
      const { manager } = await startManager(t, client);
      assert.deepEqual(manager.readiness(), { ready: true, reasons: [] });
      const { spec } = await client.get(CustomResourceDefinition, definition);
      assert.equal(spec.conversion?.webhook?.clientConfig?.service, undefined);
      await client.create(V1, V1("one", { place: "here" }));
      assert.deepEqual((await client.get(V2, "one")).spec, { places: ["here"], tip: 1 });
      await manager.stop();
    });

    it("share one Secret among replicas; a replica that finds none goes on trusting the others", async (t) => {
      const client = await open();
      const shared = { register: "inject", configuration: client.namespace } as const;
      const [first, second] = await Promise.all([
        startManager(t, client),
        startManager(t, client, { ...shared, url: `https://127.0.0.1:${await freePort()}` }),
      ]);
      const bundle = async () => {
        const { webhooks } = await client.get(ValidatingWebhookConfiguration, client.namespace);
        return webhooks?.[0]?.clientConfig.caBundle;
      };
      const { data } = await client.get(Secret, `${client.namespace}-webhooks`);
      assert.equal(await bundle(), data?.["ca.crt"]);
      await client.create(V2, errand("a", ["x"]));
      await Promise.all([first.manager.stop(), second.manager.stop()]);
    });

    it("replace a leaked authority when their Secret asks for it", async (t) => {
      const client = await open();
      const certificates = { from: "secret", overlap: "1s" } as const;
      const { manager, lines } = await startManager(t, client, { certificates });
      const secret = `${client.namespace}-webhooks`;
      const { data: old } = await client.get(Secret, secret);
      await client.patch(Secret, secret, {
        type: "merge",
        body: { metadata: { annotations: { "homeostat.dev/rotate": "now", other: "kept" } } },
      });
      await until(
        async () => {
          const { data } = await client.get(Secret, secret);
          return (
            data?.["authority.key"] !== old?.["authority.key"] &&
            data?.["next-authority.key"] === undefined &&
            data?.["previous-authorities.crt"] === undefined
          );
        },
        { timeoutMs: 30_000 },
      );
      const { metadata, data } = await client.get(Secret, secret);
      const marked = { "homeostat.dev/certificates": "webhooks" };
      assert.deepEqual(metadata.annotations, { other: "kept", ...marked });
      assert.notEqual(data?.["tls.key"], old?.["tls.key"]);
      // The configuration follows its Secret.
      await until(async () => {
        const { webhooks } = await client.get(ValidatingWebhookConfiguration, client.namespace);
        return webhooks?.[0]?.clientConfig.caBundle === data?.["ca.crt"];
      });
      assert.ok(lines.some((line) => line.includes("as homeostat.dev/rotate asks")));
      await client.create(V2, errand("a", ["x"]));
      await manager.stop();
    });

    it("whose certificates expire together go on answering", { timeout: 60_000 }, async (t) => {
      const client = await open();
      let offsetMs = 0;
      const real = createSystemRuntime();
      const clock = { ...real.clock, now: () => real.clock.now() + offsetMs };
      const short = {
        certificates: {
          from: "secret",
          authorityValidity: "40m",
          leafValidity: "40m",
          overlap: "1s",
        },
      } as const;
      const { manager, lines } = await startManager(t, client, short, { ...real, clock });
      await client.create(V2, errand("a", ["x"]));
      const secret = `${client.namespace}-webhooks`;
      const { data: old } = await client.get(Secret, secret);
      // By the clock of this process all have expired; by that of the API server none.
      offsetMs = 50 * 60_000;
      await client.patch(Secret, secret, {
        type: "merge",
        body: { metadata: { labels: { a: "b" } } },
      });
      let writes = 0;
      await until(
        async () => {
          await client.patch(V2, "a", {
            type: "merge",
            body: { metadata: { labels: { n: `${writes++}` } } },
          });
          const { data } = await client.get(Secret, secret);
          return (
            data?.["authority.crt"] !== old?.["authority.crt"] &&
            data?.["previous-authorities.crt"] === undefined
          );
        },
        { everyMs: 20, timeoutMs: 30_000 },
      );
      assert.ok(writes > 10);
      const said = lines.filter((line) => line.includes("certificates of webhooks: the next"));
      assert.deepEqual(
        said.map((line) => line.split(": ").at(-1)),
        ["the next authority is published before it signs", "the next authority signs"],
      );
      await client.create(V2, errand("b", ["x"]));
      await manager.stop();
    });
  });
