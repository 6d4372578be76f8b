// A user's program against the packed declarations: compiles under full strictness, declarations included.
import { defineController, defineResource, k, ref } from "homeostat";
import { parseLabelSelector } from "homeostat/api";
import { type Client, createClient } from "homeostat/client";
import { Deployment } from "homeostat/k8s/apps/v1";
import { ConfigMap, type PodSpec } from "homeostat/k8s/core/v1";
import type { LabelSelector } from "homeostat/k8s/meta/v1";
import { createSystemRuntime, type Runtime } from "homeostat/runtime";
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import { main } from "@homeostat/cli";
import * as z from "zod";

const api = { group: "kitchen.example.com", version: "v1" } as const;
const Chef = defineResource({
  ...api,
  kind: "Chef",
  spec: z.object({ secondsPerDish: z.int().default(30) }),
});
const Order = defineResource({
  ...api,
  kind: "Order",
  spec: z.object({ chef: z.string(), table: z.int().apply(k.immutable) }),
  status: z.object({ cooked: z.int() }),
  conditions: ["Ready"],
});

export const orders = defineController(Order, {
  refs: { chef: ref(Chef, (order) => order.spec.chef) },
  async reconcile({ object, refs: { chef }, status, condition, wait }) {
    if (!chef) return wait.forRef("chef");
    status({ cooked: object.spec.table + chef.spec.secondsPerDish });
    condition("Ready", "True", "Cooked");
    return undefined;
  },
});

const selector: LabelSelector = { matchLabels: { app: "web" } };
const pod: PodSpec = { containers: [{ name: "web", image: "web:1" }] };
export const shops = defineController(Order, {
  owns: [Deployment, ConfigMap],
  async reconcile({ own }) {
    const [web] = await own(Deployment, [
      Deployment("web", {
        spec: { selector, template: { metadata: { labels: { app: "web" } }, spec: pod } },
      }),
    ]);
    await own(ConfigMap, [ConfigMap("web", { data: { replicas: String(web?.spec.replicas) } })]);
  },
});

const runtime: Runtime = createSystemRuntime();
const start: typeof startApiServer = startApiServer;
const make: typeof createClient = createClient;
export const all: readonly unknown[] = [runtime, start, make, main, parseLabelSelector];
export type Held = readonly [Client, ApiServer];
