// Discovery from both forms that servers give, and names as people type them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { Client } from "../client.ts";
import { createClient } from "../create-client.ts";
import {
  createScriptedTransport,
  type ScriptedExchange,
  type ScriptedTransport,
} from "../scripted-transport.suite.ts";

const deployment = {
  resource: "deployments",
  responseKind: { group: "", version: "", kind: "Deployment" },
  scope: "Namespaced",
  singularResource: "deployment",
  verbs: ["get"],
  shortNames: ["deploy"],
  categories: ["all"],
  subresources: [{ subresource: "status" }],
};
const aggregated: Readonly<Record<string, unknown>> = {
  "/api": {
    kind: "APIGroupDiscoveryList",
    items: [
      {
        metadata: {},
        versions: [
          {
            version: "v1",
            resources: [
              {
                resource: "pods",
                responseKind: { kind: "Pod" },
                scope: "Namespaced",
                singularResource: "pod",
                verbs: [],
                shortNames: ["po"],
              },
              {
                resource: "nodes",
                responseKind: { kind: "Node" },
                scope: "Cluster",
                singularResource: "node",
                verbs: [],
              },
            ],
          },
        ],
      },
    ],
  },
  "/apis": {
    kind: "APIGroupDiscoveryList",
    items: [
      {
        metadata: { name: "apps" },
        versions: [
          { version: "v1", resources: [deployment] },
          { version: "v1beta1", resources: [deployment] },
        ],
      },
      {
        metadata: { name: "metrics.k8s.io" },
        versions: [
          {
            version: "v1",
            resources: [
              {
                resource: "pods",
                responseKind: { kind: "PodMetrics" },
                scope: "Namespaced",
                singularResource: "",
                verbs: [],
              },
            ],
          },
        ],
      },
    ],
  },
};
const plain: Readonly<Record<string, unknown>> = {
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": {
    kind: "APIGroupList",
    groups: [
      {
        name: "apps",
        versions: [{ groupVersion: "apps/v1beta1" }, { groupVersion: "apps/v1" }],
        preferredVersion: { groupVersion: "apps/v1" },
      },
      { name: "broken", versions: [{ groupVersion: "broken/v1" }] },
    ],
  },
  "/api/v1": {
    resources: [
      {
        name: "pods",
        kind: "Pod",
        namespaced: true,
        singularName: "pod",
        verbs: [],
        shortNames: ["po"],
      },
      { name: "pods/status", kind: "Pod", namespaced: true },
      { name: "nodes", kind: "Node", namespaced: false, singularName: "node" },
    ],
  },
  "/apis/apps/v1": {
    resources: [
      {
        name: "deployments",
        kind: "Deployment",
        namespaced: true,
        singularName: "deployment",
        shortNames: ["deploy"],
      },
    ],
  },
  "/apis/apps/v1beta1": {
    resources: [
      { name: "deployments", kind: "Deployment", namespaced: true, singularName: "deployment" },
    ],
  },
};

function play(pages: Readonly<Record<string, unknown>>): {
  readonly client: Client;
  readonly transport: ScriptedTransport;
} {
  const respond = (exchange: ScriptedExchange): void =>
    pages[exchange.url.pathname]
      ? exchange.answer(200, pages[exchange.url.pathname])
      : exchange.refuse(503, "ServiceUnavailable");
  const transport = createScriptedTransport(respond);
  return { client: createClient({ transport, runtime: createVirtualRuntime() }), transport };
}

for (const [form, pages] of [
  ["aggregated", aggregated],
  ["plain", plain],
] as const) {
  describe(`kinds from ${form} discovery`, () => {
    it("are found by kind, with scope and subresources", async () => {
      const { client } = play(pages);
      const pod = await client.kinds.byKind("v1", "Pod");
      assert.deepEqual(
        [pod.resource, pod.scope, pod.group, pod.version],
        ["pods", "Namespaced", "", "v1"],
      );
      assert.equal((await client.kinds.byKind("v1", "Node")).scope, "Cluster");
      assert.deepEqual(
        (
          await client.kinds.byKind(
            form === "plain" ? "v1" : "apps/v1",
            form === "plain" ? "Pod" : "Deployment",
          )
        ).subresources,
        ["status"],
      );
    });

    it("are found by the names that people type, in the preferred version", async () => {
      const { client } = play(pages);
      for (const name of [
        "deployments",
        "deployment",
        "Deployment",
        "deploy",
        "deployments.apps",
        "deployments.v1.apps",
      ])
        assert.equal((await client.kinds.byResource(name)).apiVersion, "apps/v1", name);
      assert.equal(
        (await client.kinds.byResource("deployments.v1beta1.apps")).apiVersion,
        "apps/v1beta1",
      );
      assert.equal((await client.kinds.byResource("po")).kind, "Pod");
    });
  });
}

describe("kinds", () => {
  it("are fetched once, and again on a miss only", async () => {
    const { client, transport } = play(aggregated);
    await Promise.all([client.kinds.byKind("v1", "Pod"), client.kinds.byKind("v1", "Node")]);
    assert.equal(transport.exchanges.length, 2);
    await client.kinds.all();
    assert.equal(transport.exchanges.length, 2);
    await assert.rejects(
      client.kinds.byKind("kitchen.example.com/v1", "Order"),
      (error) =>
        isHomeostatError(error, "ERR_DISCOVERY_NO_KIND") &&
        /kind Order in kitchen\.example\.com\/v1/.test(error.message),
    );
    assert.equal(transport.exchanges.length, 4);
  });

  it("are requested again after a failure", async () => {
    const pages: Record<string, unknown> = {};
    const { client } = play(pages);
    await assert.rejects(client.kinds.byKind("v1", "Pod"), /ServiceUnavailable/);
    Object.assign(pages, aggregated);
    assert.equal((await client.kinds.byKind("v1", "Pod")).kind, "Pod");
  });
});
