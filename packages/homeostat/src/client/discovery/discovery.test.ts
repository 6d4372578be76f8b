// Discovery from both forms that servers give, and names as people type them.
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { createVirtualRuntime, type VirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { Client } from "../client.ts";
import { createClient } from "../create-client.ts";
import {
  createScriptedTransport,
  type ScriptedExchange,
  type ScriptedTransport,
} from "../scripted-transport.suite.ts";
import { dynamicKind } from "./kind-resolver.ts";

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

function play(
  pages: Readonly<Record<string, unknown>>,
  otherwise = (exchange: ScriptedExchange): void => exchange.refuse(503, "ServiceUnavailable"),
): {
  readonly client: Client;
  readonly transport: ScriptedTransport;
  readonly runtime: VirtualRuntime;
} {
  const respond = (exchange: ScriptedExchange): void =>
    pages[exchange.url.pathname]
      ? exchange.answer(200, pages[exchange.url.pathname])
      : otherwise(exchange);
  const transport = createScriptedTransport(respond);
  const runtime = createVirtualRuntime();
  return { client: createClient({ transport, runtime }), transport, runtime };
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

  it("are fetched for misses five times at once, then once a second", async () => {
    const { client, transport, runtime } = play(aggregated);
    const fetches = (): number => transport.exchanges.length / 2;
    const miss = (): Promise<unknown> =>
      client.kinds.byKind("kitchen.example.com/v1", "Order").catch((error: Error) => error);
    await client.kinds.all();
    for (let each = 0; each < 5; each++) await miss();
    assert.equal(fetches(), 6);
    let ended = 0;
    const waiting = Promise.all([miss().then(() => ended++), miss().then(() => ended++)]);
    await runtime.advance(999);
    assert.deepEqual([fetches(), ended], [6, 0]);
    await runtime.advance(1);
    await waiting;
    assert.equal(fetches(), 7, "those that wait share a fetch");
  });

  it("are fetched again after a path that the server does not know", async () => {
    const pages: Record<string, unknown> = { ...aggregated };
    const { client, transport } = play(pages, (exchange) =>
      exchange.url.pathname.endsWith("/d1")
        ? exchange.refuse(404, "NotFound", { name: "d1" })
        : exchange.answer(404, "404 page not found"),
    );
    const deployments = await client.kinds.byResource("deploy");
    await client.find(deployments, "d1");
    await client.kinds.byResource("deploy");
    assert.equal(transport.exchanges.length, 3, "an object that is missing says nothing of kinds");
    await assert.rejects(client.list(deployments), /does not serve deployments.apps\/v1/);
    pages["/apis"] = { kind: "APIGroupDiscoveryList", items: [] };
    await assert.rejects(client.kinds.byResource("deploy"), /ERR_DISCOVERY_NO_KIND/);
    await assert.rejects(async () => {
      for await (const event of client.watch(deployments)) assert.fail(event.type);
    }, /does not serve/);
    pages["/apis"] = aggregated["/apis"];
    assert.equal((await client.kinds.all()).length, 5);
  });

  it("of groups whose server is down are named as such", async () => {
    const { client } = play(plain);
    await assert.rejects(client.kinds.byKind("broken/v1", "Thing"), {
      message: /it serves no such kind; broken\/v1 cannot be discovered at present/,
    });
    const stale = structuredClone(aggregated) as any;
    stale["/apis"].items[1].versions[0].freshness = "Stale";
    await assert.rejects(
      play(stale).client.kinds.byKind("metrics.k8s.io/v1", "PodMetrics"),
      /metrics\.k8s\.io\/v1 cannot be discovered at present/,
    );
  });

  it("of one name in several groups are Kubernetes' own, or must name their group", async () => {
    const orders = (group: string) => ({
      metadata: { name: group },
      versions: ["v2", "v1"].map((version) => ({
        version,
        resources: [
          {
            resource: "orders",
            responseKind: { kind: "Order" },
            scope: "Namespaced",
            singularResource: "order",
            verbs: [],
            shortNames: ["deploy"],
          },
        ],
      })),
    });
    const pages: any = structuredClone(aggregated);
    pages["/apis"].items.push(orders("b.example.com"), orders("a.example.com"));
    const { client } = play(pages);
    assert.equal((await client.kinds.byResource("pods")).group, "");
    assert.equal((await client.kinds.byResource("deploy")).group, "apps");
    for (const name of ["orders", "Order"])
      await assert.rejects(
        client.kinds.byResource(name),
        (error) =>
          isHomeostatError(error, "ERR_DISCOVERY_AMBIGUOUS") &&
          /found orders\.b\.example\.com and orders\.a\.example\.com/.test(error.message),
      );
    const named = await client.kinds.byResource("order.a.example.com");
    assert.equal(named.apiVersion, "a.example.com/v2");
  });

  it("are requested again after a failure", async () => {
    const pages: Record<string, unknown> = {};
    const { client } = play(pages);
    await assert.rejects(client.kinds.byKind("v1", "Pod"), /ServiceUnavailable/);
    Object.assign(pages, aggregated);
    assert.equal((await client.kinds.byKind("v1", "Pod")).kind, "Pod");
  });
});

test("a kind by its names says which of them is wrong", () => {
  const names = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    resource: "deployments",
    scope: "Namespaced",
  } as const;
  assert.equal(dynamicKind(names).resource, "deployments");
  for (const [wrong, expected] of [
    [{ resource: undefined }, /dynamicKind\(…\): resource: .* nothing, expected its plural/],
    [{ kind: "" }, /dynamicKind\(…\): kind: .* '', expected a kind/],
    [{ apiVersion: "a/b/c" }, /dynamicKind\(…\): apiVersion: .*'a\/b\/c', expected a group/],
    [{ scope: "Everywhere" }, /'Everywhere', expected the scope/],
  ] as const)
    assert.throws(() => dynamicKind({ ...names, ...wrong } as never), expected);
  assert.throws(() => dynamicKind(undefined as never), /its first argument is nothing/);
});
