import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { PluginServices } from "./admission-plugin.ts";
import { createNodeDeclaredFeatureValidator } from "./node-declared-feature-validator.ts";
import { offByDefault } from "./off-by-default.ts";
import { createPodResizeValidator } from "./pod-resize-validator.ts";
import { type Stored, tryPlugin, type Wanted } from "./testdata/try-plugin.ts";

const refusal = async (
  name: string,
  wanted: Wanted,
  stored: Stored = {},
  services: Partial<PluginServices> = {},
) => (await tryPlugin(offByDefault[name]!, wanted, stored, services)).refusal;
const pod = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: "p", ...metadata },
  spec,
});
const specOf = (object: JsonObject): JsonObject => object["spec"] as JsonObject;

test("AlwaysDeny denies, AlwaysAdmit does not", async () => {
  const object = pod({});
  assert.equal(await refusal("AlwaysAdmit", { object }), undefined);
  assert.equal(
    await refusal("AlwaysDeny", { object }),
    'pods "p" is forbidden: admission control is denying all modifications',
  );
});

test("a missing namespace refuses, or is made", async () => {
  const object = pod({});
  const home = { namespaces: [{ metadata: { name: "home" } }] };
  assert.equal(await refusal("NamespaceExists", { object }), 'namespaces "home" not found');
  assert.equal(await refusal("NamespaceExists", { object }, home), undefined);
  const asked: unknown[] = [];
  const answer = (status: number, reason: string): Partial<PluginServices> => ({
    loopback: async (method, path, body) => {
      asked.push([method, path, body]);
      return { status, object: { kind: "Status", reason, message: "no" } };
    },
  });
  const provision = (wanted: Wanted, stored: Stored, status: number, reason: string) =>
    refusal("NamespaceAutoProvision", { object, ...wanted }, stored, answer(status, reason));
  assert.equal(await provision({}, {}, 201, ""), undefined);
  const made = { apiVersion: "v1", kind: "Namespace", metadata: { name: "home" } };
  assert.deepEqual(asked, [["POST", "/api/v1/namespaces", made]]);
  assert.equal(await provision({}, home, 500, ""), undefined);
  assert.equal(await provision({ dryRun: true }, {}, 500, ""), undefined);
  assert.equal(asked.length, 1);
  assert.equal(await provision({}, {}, 409, "AlreadyExists"), undefined);
  assert.equal(await provision({}, {}, 500, ""), 'pods "p" is forbidden: no');
});

test("required anti-affinity is only allowed between nodes", async () => {
  const of = (topologyKey: string) => ({
    object: pod({
      affinity: {
        podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] },
      },
    }),
  });
  const name = "LimitPodHardAntiAffinityTopology";
  assert.equal(await refusal(name, of("kubernetes.io/hostname")), undefined);
  assert.equal(
    await refusal(name, of("zone")),
    'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed',
  );
});

test("images are always pulled, unless an update brings none", async () => {
  const make = (image: string) =>
    pod({ containers: [{ name: "a", image }], volumes: [{ name: "v", image: {} }] });
  const object = make("i");
  assert.equal(await refusal("AlwaysPullImages", { object }), undefined);
  assert.deepEqual(specOf(object), {
    containers: [{ name: "a", image: "i", imagePullPolicy: "Always" }],
    volumes: [{ name: "v", image: { pullPolicy: "Always" } }],
  });
  const same = make("i");
  await refusal("AlwaysPullImages", { operation: "UPDATE", object: same, old: make("i") });
  assert.deepEqual(same, make("i"));
});

test("a pod gets its namespace's node selector", async () => {
  const of = (annotation: string, nodeSelector?: JsonObject) => {
    const object = pod(nodeSelector ? { nodeSelector } : {});
    const annotations = { "scheduler.alpha.kubernetes.io/node-selector": annotation };
    const stored = { namespaces: [{ metadata: { name: "home", annotations } }] };
    return refusal("PodNodeSelector", { object }, stored).then((text) => text ?? specOf(object));
  };
  assert.deepEqual(await of("a=b, c=d", { e: "f" }), {
    nodeSelector: { a: "b", c: "d", e: "f" },
  });
  assert.deepEqual(await of(""), {});
  assert.equal(
    await of("a=b", { a: "c" }),
    'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
  );
  assert.equal(await of("a"), "invalid selector: [a]");
});

test("extended resources are tolerated", async () => {
  const resources = { requests: { "example.com/b": "1", "example.com/a": "1", cpu: "1" } };
  const object = pod({ containers: [{ name: "c", resources }], tolerations: [{ key: "x" }] });
  await refusal("ExtendedResourceToleration", { object });
  const toleration = (key: string) => ({ key, operator: "Exists", effect: "NoSchedule" });
  assert.deepEqual(specOf(object)["tolerations"], [
    { key: "x" },
    toleration("example.com/a"),
    toleration("example.com/b"),
  ]);
});

test("owners need permission", async () => {
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u" };
  const of = (refs: readonly JsonObject[]) => pod({}, { ownerReferences: refs as never });
  const blocking = { ...owner, blockOwnerDeletion: true };
  const may = (verbs: readonly string[], wanted: Wanted) =>
    refusal(
      "OwnerReferencesPermissionEnforcement",
      wanted,
      {},
      {
        authorizer: ({ info }) => ({
          allowed: verbs.includes(info.verb) && info.resource !== "*",
          reason: "because",
        }),
        catalog: {
          all: () => [
            {
              group: "",
              version: "v1",
              kind: "ConfigMap",
              resource: "configmaps",
              namespaced: true,
            },
          ],
        } as never,
      },
    );
  assert.equal(await may([], { object: of([owner]) }), undefined);
  const update = { operation: "UPDATE", object: of([owner]), old: of([]) } as const;
  assert.equal(
    await may([], update),
    'pods "p" is forbidden: cannot set an ownerRef on a resource you can\'t delete: because, <nil>',
  );
  assert.equal(await may(["delete"], update), undefined);
  assert.equal(
    await may([], { object: of([blocking]) }),
    'pods "p" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: because, <nil>',
  );
  assert.equal(await may(["update"], { object: of([blocking]) }), undefined);
  assert.match(
    String(await may(["update"], { object: of([{ ...blocking, kind: "Nope" }]) })),
    /no matches for kind "Nope" in version "v1"$/,
  );
});

test("a resize that a node must support needs the node to declare it", async () => {
  const make = (generation: number, cpu: string): JsonObject =>
    pod({ nodeName: "n", resources: { requests: { cpu } } }, { generation });
  const resize = async (to: JsonObject, declaredFeatures: readonly string[]) => {
    const wanted = { operation: "UPDATE", subresource: "resize", object: to, old: make(1, "1") };
    const nodes = [{ metadata: { name: "n" }, status: { declaredFeatures } }];
    return (
      await tryPlugin(createNodeDeclaredFeatureValidator, wanted as Wanted, { nodes } as never)
    ).refusal;
  };
  const feature = "InPlacePodLevelResourcesVerticalScaling";
  assert.equal(
    await resize(make(2, "2"), []),
    `pods "p" is forbidden: pod update requires features ${feature} which are not available on node "n"`,
  );
  assert.equal(await resize(make(2, "2"), [feature]), undefined);
  assert.equal(await resize(make(2, "1000m"), []), undefined);
  assert.equal(await resize(make(1, "2"), []), undefined);
});

test("a resize asks for what the pod as a whole requests, and for its overhead", async () => {
  const make = (generation: number): JsonObject =>
    pod(
      {
        nodeName: "n",
        containers: [{ name: "c", resources: { requests: { cpu: "1" } } }],
        resources: { requests: { cpu: "3" } },
        overhead: { cpu: "500m" },
      },
      { generation },
    );
  const wanted = { operation: "UPDATE", subresource: "resize", object: make(2), old: make(1) };
  const nodes = [{ metadata: { name: "n" }, status: { allocatable: { cpu: "2" } } }];
  assert.equal(
    (await tryPlugin(createPodResizeValidator, wanted as Wanted, { nodes })).refusal,
    'pods "p" is forbidden: node didn\'t have enough allocatable resources: cpu, requested: 3500, allocatable: 2000',
  );
});
