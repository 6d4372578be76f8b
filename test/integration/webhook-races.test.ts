// Webhooks of two replicas that do the same at the same moment, and what others do to their Secret,
// their configurations and their definition meanwhile: one authority wins, and every review is
// answered.
import assert from "node:assert/strict";
import { after, describe, it, type TestContext } from "node:test";
import { connect } from "node:tls";
import { createManager, defineController, defineResource, installDefinitions } from "homeostat";
import type { Client } from "homeostat/client";
import { ValidatingWebhookConfiguration } from "homeostat/k8s/admissionregistration/v1";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import { ConfigMap, Secret } from "homeostat/k8s/core/v1";
import {
  defineConversion,
  defineValidatingWebhook,
  describeWebhooks,
  type WebhooksOptions,
} from "homeostat/webhook";
import * as z from "zod";
import { freePorts } from "../fixtures/free-port.ts";
import { recordLog } from "../fixtures/hear-manager.ts";
import { createMeeting } from "../fixtures/meet.ts";
import { until } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const api = { group: `races-${process.pid}.example.com`, kind: "Race" } as const;
const V1 = defineResource({ ...api, version: "v1", spec: z.object({ lane: z.string() }) });
const V2 = defineResource({
  ...api,
  version: "v2",
  spec: z.object({ lanes: z.array(z.string()) }),
});
const versions = defineConversion(V1, V2, {
  up: ({ spec: { lane } }) => ({ spec: { lanes: [lane] } }),
  down: ({ spec: { lanes } }) => ({ spec: { lane: lanes[0] ?? "" } }),
});
const rules = defineValidatingWebhook(V2, { create() {} });
const nothing = defineController(ConfigMap, { name: "nothing", async reconcile() {} });

const encode = (text: string): string => Buffer.from(text).toString("base64");
const decode = (text = ""): string => Buffer.from(text, "base64").toString();

/** Whether a port serves with a certificate that a caBundle covers. */
function isTrusted(port: number, caBundle: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port, host: "127.0.0.1", ca: decode(caBundle) });
  socket.once("secureConnect", () => resolve(socket.authorized));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

for (const what of serverKinds())
  describe(`races of webhooks on ${what}`, { timeout: 120_000 }, () => {
    let server: TestServer;
    after(async () => await server?.close());

    async function arrange(t: TestContext, webhooks: Partial<WebhooksOptions> = {}) {
      server ??= await openServer(what);
      const client = await server.client();
      await installDefinitions(client, [V2, V1]);
      const ports = await freePorts(2);
      const name = client.namespace;
      const options: WebhooksOptions = {
        serve: [rules],
        url: `https://127.0.0.1:${ports[0]}`,
        ...webhooks,
      };
      const lines: string[][] = [];
      const replica = async (port: number, join: (client: Client) => void = () => {}) => {
        const own = await server.replica(client);
        join(own);
        const heard = recordLog();
        lines.push(heard.lines);
        const manager = createManager({
          operator: name,
          controllers: [nothing],
          client: own,
          namespace: name,
          log: heard.log,
          allowReplicas: true,
          webhooks: { ...options, port },
        });
        t.after(() => manager.stop());
        await manager.start();
        return manager;
      };
      return {
        client,
        name,
        ports,
        options,
        replica,
        both: (join?: (client: Client) => void) =>
          Promise.all(ports.map((port) => replica(port, join))),
        secret: async () => (await client.get(Secret, `${name}-webhooks`)).data ?? {},
        bundle: async () => {
          const { webhooks: entries } = await client.get(ValidatingWebhookConfiguration, name);
          return entries?.find((one) => one.name === rules.name)?.clientConfig.caBundle ?? "";
        },
        review: () => client.create(V2, V2("a", { lanes: ["x"] }), { dryRun: "All" }),
        complaints: () => lines.flat().filter((line) => /^(?:warn|error)/.test(line)),
      };
    }

    /** Values that a key of the Secret has had, in order. */
    function history(t: TestContext, client: Client, key: string) {
      const values: string[] = [];
      const over = new AbortController();
      const { namespace, signal } = { namespace: client.namespace, signal: over.signal };
      const following = (async () => {
        for await (const { type, object } of client.watch(Secret, { namespace, signal }))
          if (type === "ADDED" || type === "MODIFIED") {
            const value = object.data?.[key] ?? "";
            if (value !== values.at(-1)) values.push(value);
          }
      })().catch(() => {});
      t.after(async () => {
        over.abort();
        await following;
      });
      return values;
    }

    /** Reviews without end; those that failed. */
    function reviewOnAndOn(t: TestContext, review: () => Promise<unknown>) {
      const failures: string[] = [];
      let isOver = false;
      let count = 0;
      const going = (async () => {
        for (; !isOver; count++) {
          await review().catch((error: unknown) => failures.push(String(error)));
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      })();
      const end = async () => {
        isOver = true;
        await going;
        return { failures, count };
      };
      t.after(end);
      return end;
    }

    it("two that start at once agree on one authority", async (t) => {
      const meeting = createMeeting(
        /^(?:POST .*\/secrets|PATCH .*\/\w+webhookconfigurations\/.*)$/,
      );
      const { client, both, ports, bundle, secret, review, complaints } = await arrange(t);
      const authorities = history(t, client, "authority.crt");
      const managers = await both((one) => meeting.join(one));
      assert.ok(meeting.met >= 2, "both have made a Secret, and a configuration");
      await until(async () => managers.every((manager) => manager.readiness().ready));
      const caBundle = await bundle();
      assert.equal(caBundle, (await secret())["ca.crt"]);
      for (const port of ports) assert.equal(await isTrusted(port, caBundle), true, `port ${port}`);
      await review();
      assert.equal(authorities.length, 1);
      assert.deepEqual(complaints(), []);
      await Promise.all(managers.map((manager) => manager.stop()));
    });

    it("two that rotate at once make one successor, and no review fails", async (t) => {
      const certificates = { from: "secret", overlap: "1s" } as const;
      const { client, name, both, ports, bundle, secret, review, complaints } = await arrange(t, {
        certificates,
      });
      const meeting = createMeeting(/^PUT .*\/secrets\/.*-webhooks$/);
      const managers = await both((one) => meeting.join(one));
      const authorities = history(t, client, "authority.crt");
      const successors = history(t, client, "next-authority.crt");
      const reviewed = reviewOnAndOn(t, review);
      const { "authority.crt": old } = await secret();
      const body = { metadata: { annotations: { "homeostat.dev/rotate": "now" } } };
      await client.patch(Secret, `${name}-webhooks`, { type: "merge", body });
      await until(
        async () => {
          const data = await secret();
          return data["authority.crt"] !== old && data["previous-authorities.crt"] === undefined;
        },
        { timeoutMs: 60_000 },
      );
      await until(async () => managers.every((manager) => manager.readiness().ready));
      const { failures, count } = await reviewed();
      assert.deepEqual([failures.slice(0, 3), count > 10], [[], true]);
      assert.ok(meeting.met >= 2, `${meeting.met} steps by both at once`);
      assert.equal(authorities.length, 2);
      assert.equal(successors.filter((one) => one !== "").length, 1);
      await until(async () => (await bundle()) === (await secret())["ca.crt"]);
      for (const port of ports) assert.equal(await isTrusted(port, await bundle()), true);
      assert.deepEqual(complaints(), []);
      await Promise.all(managers.map((manager) => manager.stop()));
    });

    it("one that writes an old caBundle late writes nothing", async (t) => {
      const certificates = { from: "secret", overlap: "20s" } as const;
      const { client, name, replica, ports, bundle, secret, review, complaints } = await arrange(
        t,
        {
          certificates,
        },
      );
      const late = createMeeting(/^PATCH .*\/validatingwebhookconfigurations\//, {
        patienceMs: Infinity,
        count: 100,
      });
      const managers = [await replica(ports[0]!)];
      const hold = (one: Client): void => late.join(one);
      const starting = replica(ports[1]!, hold);
      await until(() => late.waiting === 1);
      late.release();
      managers.push(await starting);
      const old = await bundle();
      // Both set out to write it again. One is late, and meanwhile there is another authority.
      const path = "/webhooks/0/clientConfig/caBundle";
      const body = [{ op: "replace", path, value: encode("-") }] as const;
      await client.patch(ValidatingWebhookConfiguration, name, { type: "json", body });
      await until(() => late.waiting === 1);
      await until(async () => (await bundle()) === old);
      const annotations = { "homeostat.dev/rotate": "now" };
      await client.patch(Secret, `${name}-webhooks`, {
        type: "merge",
        body: { metadata: { annotations } },
      });
      const both = await until(async () => {
        const found = await bundle();
        return found !== old && found;
      });
      assert.ok(decode(both).includes(decode(old)), "the old one is trusted still");
      late.release();
      for (let looks = 0; looks < 20; looks++) {
        assert.equal(await bundle(), both);
        await review();
      }
      assert.equal((await secret())["ca.crt"], both);
      assert.deepEqual(complaints(), []);
      await Promise.all(managers.map((manager) => manager.stop()));
    });

    it("their Secret is restored by both at once, whatever becomes of it", async (t) => {
      const meeting = createMeeting(/^(?:POST .*\/secrets|PUT .*\/secrets\/.*-webhooks)$/);
      const { client, name, both, secret, review, complaints } = await arrange(t);
      const managers = await both((one) => meeting.join(one));
      const before = await secret();
      const metBefore = meeting.met;
      const reviewed = reviewOnAndOn(t, review);
      const ownName = `${name}-webhooks`;
      let own: Secret | undefined;
      const nonsense = encode("nonsense");
      const garbage = { "tls.crt": nonsense, "authority.crt": nonsense, "authority.key": nonsense };
      const deeds: readonly (() => Promise<unknown>)[] = [
        () => client.delete(Secret, ownName),
        // The keys of its type must stay.
        () => client.update(Secret, { ...(own as Secret), data: { "tls.crt": "", "tls.key": "" } }),
        () => client.patch(Secret, ownName, { type: "merge", body: { data: garbage } }),
      ];
      for (const deed of deeds) {
        own = await client.get(Secret, ownName);
        await deed();
        await until(async () => {
          const found = await client.find(Secret, ownName);
          return found?.data?.["authority.key"] === before["authority.key"];
        });
        await review();
      }
      assert.deepEqual(await secret(), before);
      const { failures, count } = await reviewed();
      assert.deepEqual([failures.slice(0, 3), count > 0], [[], true]);
      assert.deepEqual(complaints(), []);
      assert.equal(meeting.met, metBefore + deeds.length, "both have restored it each time");
      await Promise.all(managers.map((manager) => manager.stop()));
    });

    it("a configuration that comes back without a caBundle gets it", async (t) => {
      for (const register of ["create", "inject"] as const) {
        const { client, name, options, replica, ports, bundle, review } = await arrange(t, {
          register,
        });
        const { configurations } = describeWebhooks(options, { operator: name });
        const manifest = configurations[0] as never;
        const apply = (): Promise<unknown> =>
          client.apply(ValidatingWebhookConfiguration, manifest, {
            fieldManager: "kubectl",
            force: true,
          });
        await apply();
        const manager = await replica(ports[0]!);
        const before = await bundle();
        assert.notEqual(before, "");
        for (let round = 0; round < 3; round++) {
          await client.delete(ValidatingWebhookConfiguration, name);
          await apply();
          await until(async () => (await bundle()) === before);
          await review();
        }
        await apply();
        assert.equal(await bundle(), before, "an apply leaves what others own");
        await manager.stop();
        await client
          .find(ValidatingWebhookConfiguration, name)
          .then((left) => left && client.delete(ValidatingWebhookConfiguration, name));
      }
    });

    it("a definition that comes back without a caBundle gets it, and converts", async (t) => {
      const { client, name, options, replica, ports } = await arrange(t, { serve: [versions] });
      const manager = await replica(ports[0]!);
      const definition = `races.${api.group}`;
      const caBundle = async () =>
        (await client.find(CustomResourceDefinition, definition))?.spec.conversion?.webhook
          ?.clientConfig?.caBundle;
      const before = await until(caBundle);
      const [conversion] = describeWebhooks(options, { operator: name }).conversions;
      const bare = (conversion as unknown as CustomResourceDefinition).spec.conversion!;
      const restore = async (): Promise<void> => {
        await until(async () => (await caBundle()) === before);
        // The server follows its definitions.
        await until(() =>
          client.create(V1, V1("one", { lane: "x" })).then(
            () => true,
            () => false,
          ),
        );
        assert.deepEqual((await client.get(V2, "one")).spec, { lanes: ["x"] });
        await client.delete(V2, "one");
      };
      await restore();
      const { spec } = await client.get(CustomResourceDefinition, definition);
      const replaced = { ...spec, conversion: bare };
      // As `kubectl replace` does, and as deletion and creation do.
      const found = await client.get(CustomResourceDefinition, definition);
      await client.update(CustomResourceDefinition, { ...found, spec: replaced });
      await restore();
      await client.delete(CustomResourceDefinition, definition);
      await until(async () => !(await client.find(CustomResourceDefinition, definition)));
      await client.create(CustomResourceDefinition, {
        metadata: { name: definition },
        spec: replaced,
      });
      await restore();
      await manager.stop();
    });
  });
