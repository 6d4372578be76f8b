// That the rights suffice and are all used is proven on a server, in
// test/integration/required-permissions.test.ts.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { defineResource } from "../../api/resource/define-resource.ts";
import { dynamicKind } from "../../client/discovery/kind-resolver.ts";
import { defineController } from "../../controller/define-controller.ts";
import { defineSignal } from "../../controller/signals/define-signal.ts";
import { defineValidatingWebhook, describeWebhooks } from "../../webhook/index.ts";
import { requiredPermissions } from "./required-permissions.ts";

const group = "rights.example.com";
const Plain = defineResource({ group, version: "v1", kind: "Plain", spec: z.object({}) });
const Spoken = defineResource({
  group,
  version: "v1",
  kind: "Spoken",
  spec: z.object({}),
  conditions: ["Ready"],
});
const Secret = dynamicKind({
  apiVersion: "v1",
  kind: "Secret",
  resource: "secrets",
  scope: "Namespaced",
});
const Node = dynamicKind({ apiVersion: "v1", kind: "Node", resource: "nodes", scope: "Cluster" });

const reconcile = async (): Promise<void> => {};
const reports = { events: false };
const rulesOf = (...controllers: Parameters<typeof requiredPermissions>[0]["controllers"]) =>
  requiredPermissions({ controllers, reports }).cluster;
const rule = (resource: string, verbs: readonly string[], apiGroup = group) => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs,
});

test("a kind that is only read takes list and watch", () => {
  assert.deepEqual(rulesOf(defineController(Plain, { reconcile })), [
    rule("plains", ["list", "watch"]),
  ]);
});

test("a status takes a patch of the status, and a read after a conflict", () => {
  assert.deepEqual(rulesOf(defineController(Spoken, { reconcile })), [
    rule("spokens", ["get", "list", "watch"]),
    rule("spokens/status", ["patch"]),
  ]);
});

test("finalize, and children that owner references cannot reach, take a patch of the object", () => {
  const patched = rule("plains", ["get", "list", "watch", "patch"]);
  const finalizing = defineController(Plain, { reconcile, finalize: reconcile });
  assert.deepEqual(rulesOf(finalizing), [patched]);
  assert.ok(
    rulesOf(defineController(Plain, { owns: [Node], reconcile })).some(
      ({ resources, verbs }) => resources.includes("plains") && verbs.includes("patch"),
    ),
  );
});

test("metrics behind the API server's reviews take the rights to ask for them", () => {
  const controllers = [defineController(Plain, { reconcile })];
  const reviews = [
    rule("tokenreviews", ["create"], "authentication.k8s.io"),
    rule("subjectaccessreviews", ["create"], "authorization.k8s.io"),
  ];
  const of = (metrics: object, namespace?: string) => {
    const options = { controllers, reports, metrics, namespace };
    return requiredPermissions(options).cluster.filter(({ apiGroups }) => apiGroups[0] !== group);
  };
  assert.deepEqual(of({ authorization: "delegated" }), reviews);
  assert.deepEqual(of({ authorization: "delegated" }, "one"), reviews);
  assert.deepEqual(of({}), []);
  assert.deepEqual(of({ authorization: "delegated", port: false }), []);
});

test("Events are created and patched, unless all reports of them are off", () => {
  const controller = defineController(Plain, { reconcile });
  const events = rule("events", ["create", "patch"], "");
  assert.deepEqual(requiredPermissions({ controllers: [controller] }).cluster[0], events);
  const loud = defineController(Plain, { reconcile, reports: { events: true } });
  assert.deepEqual(rulesOf(loud)[0], events);
});

test("rights to the same resource are one rule, and names stay apart", () => {
  const permissions = [
    { kind: Secret, verbs: ["watch", "get"] as const, names: ["b", "a"] },
    { kind: Secret, verbs: ["create"] as const },
    { kind: Plain, verbs: ["update"] as const, subresource: "scale" },
  ];
  assert.deepEqual(rulesOf(defineController(Plain, { permissions, reconcile })), [
    rule("secrets", ["create"], ""),
    { ...rule("secrets", ["get", "watch"], ""), resourceNames: ["a", "b"] },
    rule("plains", ["list", "watch"]),
    rule("plains/scale", ["update"]),
  ]);
});

test("a signal takes rights of the controllers that set or clear it only", () => {
  const held = defineSignal({
    name: "held",
    on: Plain,
    carrier: { finalizer: `${group}/held` },
    setBy: ["setter"],
    clearedBy: ["people"],
  });
  const named = (name: string) => defineController(Plain, { name, signals: [held], reconcile });
  assert.deepEqual(rulesOf(named("setter")), [rule("plains", ["get", "list", "watch", "patch"])]);
  assert.deepEqual(rulesOf(named("reader")), [rule("plains", ["list", "watch"])]);
});

test("OwnerReferencesPermissionEnforcement takes an update of finalizers of owners", () => {
  const owner = defineController(Plain, { owns: [Secret], reconcile });
  const { cluster } = requiredPermissions(
    { controllers: [owner, defineController(Spoken, { reconcile })], reports },
    { ownerReferencesPermissionEnforcement: true },
  );
  const finalizers = cluster.filter(({ resources }) =>
    resources.some((one) => one.endsWith("/finalizers")),
  );
  assert.deepEqual(finalizers, [rule("plains/finalizers", ["update"])]);
});

test("of a cluster-scoped kind with one namespace, Events go to the namespace default", () => {
  const Wide = defineResource({
    group,
    version: "v1",
    kind: "Wide",
    scope: "Cluster",
    spec: z.object({}),
  });
  const controllers = [defineController(Wide, { reconcile })];
  const { cluster, namespaces } = requiredPermissions({ controllers, namespaces: ["a", "b"] });
  const events = [rule("events", ["create", "patch"], "")];
  assert.deepEqual(namespaces, { a: events, b: events, default: events });
  assert.deepEqual(cluster, [rule("wides", ["list", "watch"])]);
});

test("wrong permissions are refused where they are written", () => {
  const refused = (permissions: unknown): RegExp | string => {
    try {
      defineController(Plain, { permissions: permissions as never, reconcile });
    } catch (error) {
      return (error as Error).message;
    }
    return "";
  };
  assert.match(String(refused({})), /permissions is not a list/);
  assert.match(String(refused([5])), /permissions\[0\] is 5, expected \{ kind, verbs \}/);
  assert.match(String(refused([{ kind: "x", verbs: ["get"] }])), /permissions\[0\]\.kind is 'x'/);
  assert.match(String(refused([{ kind: Plain, verbs: ["read"] }])), /verbs has 'read'/);
  assert.match(String(refused([{ kind: Plain, verbs: [] }])), /permissions\[0\]\.verbs is/);
  assert.match(
    String(refused([{ kind: Plain, verbs: ["create"], names: ["a"] }])),
    /create, which RBAC cannot restrict to names/,
  );
  assert.match(
    String(refused([{ kind: Plain, verbs: ["get"], name: "a" }])),
    /name: unknown option/,
  );
});

test("Leases are in the namespace that the option names, or else in the operator's", () => {
  const options = { operator: "op", controllers: [defineController(Plain, { reconcile })] };
  const of = (replicas: object) =>
    requiredPermissions({ ...options, ...replicas, reports }, { operatorNamespace: "home" })
      .namespaces;
  const leases = (...verbs: string[]) => rule("leases", verbs, "coordination.k8s.io");
  const members = [leases("list", "watch", "create", "update", "delete")];
  assert.deepEqual(of({ sharding: {} }), { home: members });
  assert.deepEqual(of({ sharding: { namespace: "there" } }), { there: members });
  const candidate = (name: string) => [
    rule("events", ["create", "patch"], ""),
    leases("create"),
    { ...leases("get", "watch", "update"), resourceNames: [name] },
  ];
  assert.deepEqual(of({ election: {} }), { home: candidate("op") });
  assert.deepEqual(of({ election: { name: "mine" } }), { home: candidate("mine") });
});

test("what the cluster's rules grant is not granted in a namespace again", () => {
  const eventsOf = (more: object) =>
    requiredPermissions({
      operator: "op",
      controllers: [defineController(Plain, { reconcile })],
      election: { namespace: "home" },
      ...more,
    }).namespaces["home"]!.filter(({ resources }) => resources.includes("events"));
  assert.deepEqual(eventsOf({}), []);
  const events = [rule("events", ["create", "patch"], "")];
  assert.deepEqual(eventsOf({ namespace: "other" }), events);
  assert.deepEqual(eventsOf({ reports }), events);
});

test("webhooks list what their functions use", () => {
  const reading = defineValidatingWebhook(Plain, {
    create() {},
    permissions: [{ kind: Spoken, verbs: ["list"] }],
  });
  const of = (more: object) => {
    const webhooks = { serve: [reading], url: "https://127.0.0.1:9443" };
    return requiredPermissions({ operator: "op", controllers: [], reports, webhooks, ...more });
  };
  const listed = rule("spokens", ["list"]);
  assert.deepEqual(of({}).cluster.at(-1), listed);
  assert.deepEqual(of({ namespace: "a" }).namespaces["a"], [listed]);
  const { configurations } = describeWebhooks(
    { serve: [reading], url: "https://127.0.0.1:9443" },
    { operator: "op" },
  );
  assert.doesNotMatch(JSON.stringify(configurations), /permissions/);
});
