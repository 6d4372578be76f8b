// The web application in simulated worlds: whatever happens to the operator while pods roll out and
// a Secret changes, it ends as it should.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scenario } from "@homeostat/testing";
import type { Client } from "homeostat/client";
import { Deployment } from "homeostat/k8s/apps/v1";
import { Secret } from "homeostat/k8s/core/v1";
import { Dashboard } from "./resources/dashboard.ts";
import { WebApp } from "./resources/web-app.ts";
import { controllers, operator, resources } from "./web.ts";

/** What the deployment controller says when all pods are ready. */
async function rollOut(client: Client): Promise<void> {
  const { generation: observedGeneration } = (await client.get(Deployment, "shop")).metadata;
  const counts = { replicas: 2, readyReplicas: 2, updatedReplicas: 2 };
  const body = { status: { ...counts, observedGeneration } };
  await client.patch(Deployment, "shop", { type: "merge", body }, { subresource: "status" });
}

const shop = scenario(
  "shop",
  { operator, resources, controllers: () => controllers, controlPlane: "none" },
  async ({ client, converge }) => {
    await client.create(Dashboard, Dashboard("all", { title: "All" }));
    await client.create(WebApp, WebApp("shop", { image: "shop:1", replicas: 2, secret: "keys" }));
    await converge();
    await client.create(Secret, Secret("keys", { stringData: { KEY: "1" } }));
    await converge();
    await rollOut(client);
    await converge();
    await client.patch(Secret, "keys", { type: "merge", body: { stringData: { KEY: "2" } } });
    await converge();
    await rollOut(client);
  },
);

test("the shop is served, whatever happens to its operator", async () => {
  const { text } = await shop.sweep();
  assert.match(text, /^shop: \d+ states, all converge$/);
});
